// A person in front of a browser that knows no script: gets pages, fills in their forms, follows what a page
// refreshes to, and stops where an address is not the server's any more.
import assert from 'node:assert/strict';

const kSteps = 12;

const unescaped = (text) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

function attributes(tag) {
  const found = {};
  for (const [, name, , quoted] of tag.matchAll(/([a-z-]+)(="([^"]*)")?/g)) {
    found[name] = unescaped(quoted ?? '');
  }
  return found;
}

// The forms of a page: where each goes, what it sends unless it is changed, and its buttons.
export function forms_of(html) {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, head, body]) => {
    const form = { ...attributes(head), fields: {}, names: new Set(), buttons: [] };
    for (const [, tag] of body.matchAll(/<input([^>]*)>/g)) {
      const input = attributes(tag);
      if (!input.name) continue;
      form.names.add(input.name);
      const ticked = !['radio', 'checkbox'].includes(input.type) || 'checked' in input;
      if (ticked && input.type !== 'submit') form.fields[input.name] = input.value ?? 'on';
    }
    for (const [, tag, options] of body.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
      const { name } = attributes(tag);
      const all = [...options.matchAll(/<option([^>]*)>/g)].map(([, option]) => attributes(option));
      const chosen = all.find((option) => 'selected' in option) ?? all[0];
      form.names.add(name);
      if (chosen) form.fields[name] = chosen.value;
    }
    for (const [, tag] of body.matchAll(/<button([^>]*)>/g)) form.buttons.push(attributes(tag));
    return form;
  });
}

export class Person {
  constructor(origin, name, password) {
    Object.assign(this, { origin, name, password, cookies: new Map(), pages: [] });
  }

  async get(address) {
    return this.#request(address, { method: 'GET' });
  }

  async #request(address, init) {
    const url = new URL(address, this.origin);
    const headers = {
      accept: 'text/html',
      'accept-language': 'en',
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...init.headers,
    };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const html = await response.text();
    this.pages.push({ url: url.href, status: response.status, html });
    return { url, status: response.status, headers: response.headers, html };
  }

  async submit(page, form, button) {
    const fields = new URLSearchParams(form.fields);
    if (button?.name) fields.set(button.name, button.value ?? '');
    const action = new URL(button?.formaction ?? form.action ?? page.url.href, page.url);
    return this.#request(action, {
      method: 'POST',
      body: fields.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.origin,
        'sec-fetch-site': 'same-origin',
      },
    });
  }

  // Where a page leads by itself; nothing: it waits for the person.
  #next(page) {
    const location = page.headers.get('location');
    if (location) return new URL(location, page.url);
    const header = page.headers.get('refresh');
    const meta = /<meta http-equiv="?refresh"? content="([^"]*)"/i.exec(page.html);
    const refresh = header ?? (meta && unescaped(meta[1]));
    const target = refresh && /url=(.*)$/i.exec(refresh);
    return target ? new URL(target[1].replace(/^['"]|['"]$/g, ''), page.url) : null;
  }

  // Signs in where it is asked to, and answers what a program asks. `change` sees the form of the consent and may
  // change what it sends. Where the browser is sent in the end: an address of the program's, or the last page.
  async answers(address, { allow = true, change = () => {} } = {}) {
    let page = await this.get(address);
    for (let step = 0; step < kSteps; ++step) {
      const next = this.#next(page);
      if (next) {
        if (next.origin !== new URL(this.origin).origin) return next;
        page = await this.get(next);
        continue;
      }
      const forms = forms_of(page.html);
      const sign_in = forms.find((form) => form.names.has('password'));
      const consent = forms.find((form) => form.buttons.some((button) => button.value === 'allow'));
      if (sign_in) {
        sign_in.fields.name = this.name;
        sign_in.fields.password = this.password;
        page = await this.submit(page, sign_in, sign_in.buttons[0]);
      } else if (consent) {
        change(consent);
        const wanted = allow ? 'allow' : 'deny';
        page = await this.submit(page, consent, consent.buttons.find((b) => b.value === wanted));
      } else {
        return page;
      }
    }
    assert.fail(`the pages lead nowhere: ${this.pages.map((p) => `${p.status} ${p.url}`).join('\n')}`);
  }
}
