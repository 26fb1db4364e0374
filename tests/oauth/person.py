"""A person in front of a browser that knows no script: gets pages, fills in their forms, follows what a page
refreshes to, and stops where an address is not the server's any more."""

import html.parser
import http.client
import re
import sys
import pathlib
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from waiting import PATIENCE  # noqa: E402

STEPS = 12


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action", "")
        self.fields = {}
        self.names = set()
        self.buttons = []


class Page(html.parser.HTMLParser):
    """The forms of a page, and where it leads by itself."""

    def __init__(self, url, status, headers, text):
        super().__init__()
        self.url, self.status, self.headers, self.text = url, status, headers, text
        self.forms, self.refresh, self.select = [], headers.get("refresh"), None
        self.feed(text)

    def handle_starttag(self, tag, pairs):
        about = {name: value or "" for name, value in pairs}
        if tag == "meta" and about.get("http-equiv", "").lower() == "refresh":
            self.refresh = about.get("content")
        if tag == "form":
            self.forms.append(Form(about))
        if not self.forms:
            return
        form = self.forms[-1]
        if tag in ("input", "select") and about.get("name"):
            form.names.add(about["name"])
        if tag == "input" and about.get("name") and about.get("type") != "submit":
            if about.get("type") not in ("radio", "checkbox") or "checked" in about:
                form.fields[about["name"]] = about.get("value", "on")
        if tag == "select":
            self.select = about.get("name")
        if tag == "option" and self.select and (self.select not in form.fields or "selected" in about):
            form.fields[self.select] = about.get("value", "")
        if tag == "button":
            form.buttons.append(about)

    @property
    def next(self):
        where = self.headers.get("location")
        found = re.search(r"url=(.*)$", self.refresh or "", re.I)
        if not where and found:
            where = found.group(1).strip("'\"")
        return urllib.parse.urljoin(self.url, where) if where else None


class Person:
    def __init__(self, origin, name, password):
        self.origin, self.name, self.password = origin, name, password
        self.cookies, self.seen = {}, []

    def request(self, method, url, body=None, headers=None):
        where = urllib.parse.urlsplit(urllib.parse.urljoin(self.origin, url))
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=PATIENCE)
        target = where.path + ("?" + where.query if where.query else "")
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, target, body, {"Accept": "text/html", "Accept-Language": "en",
                                                  **({"Cookie": cookies} if cookies else {}), **(headers or {})})
        response = connection.getresponse()
        for line in response.headers.get_all("set-cookie") or []:
            name, value = re.match(r"([^=]+)=([^;]*)", line).groups()
            if re.search(r"max-age=0\b", line, re.I):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        page = Page(where.geturl(), response.status, response.headers, response.read().decode())
        connection.close()
        self.seen.append(page)
        return page

    def submit(self, page, form, button):
        fields = dict(form.fields)
        if button.get("name"):
            fields[button["name"]] = button.get("value", "")
        action = urllib.parse.urljoin(page.url, button.get("formaction") or form.action or page.url)
        return self.request("POST", action, urllib.parse.urlencode(fields), {
            "Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin"})

    def answers(self, url, allow=True, change=lambda form: None):
        """Signs in where it is asked to, and answers what a program asks. Where the browser is sent in the end, as
        an address of the program's; or the last page."""
        page = self.request("GET", url)
        for _ in range(STEPS):
            if page.next and not page.next.startswith(self.origin + "/"):
                return page.next
            sign_in = next((form for form in page.forms if "password" in form.names), None)
            consent = next((form for form in page.forms
                            if any(b.get("value") == "allow" for b in form.buttons)), None)
            device = next((form for form in page.forms if "user_code" in form.names), None)
            if page.next:
                page = self.request("GET", page.next)
            elif sign_in:
                sign_in.fields.update(name=self.name, password=self.password)
                page = self.submit(page, sign_in, sign_in.buttons[0])
            elif consent:
                change(consent)
                wanted = "allow" if allow else "deny"
                page = self.submit(page, consent, next(b for b in consent.buttons if b.get("value") == wanted))
            elif device and device.fields.get("user_code"):
                page = self.submit(page, device, device.buttons[0])
            else:
                return page
        raise AssertionError("the pages lead nowhere: " +
                             "\n".join(f"{page.status} {page.url}\n{page.text}" for page in self.seen))
