// A browser without a screen: cookies by host, as browsers keep them for all ports together, and
// redirects one by one.
export class Browser {
  cookies = new Map();

  async open(url, options = {}) {
    const headers = { accept: 'text/html,*/*;q=0.8', ...options.headers };
    const own = this.cookies.get(new URL(url).hostname) ?? new Map();
    if (own.size) headers.cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...options, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair, ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const over = attributes.some((one) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(one));
      if (over || value === '') own.delete(name);
      else own.set(name, value);
    }
    this.cookies.set(new URL(url).hostname, own);
    const text = await response.text();
    const to = response.headers.get('location');
    return { url, status: response.status, text, to: to && new URL(to, url).href, response };
  }

  submit(url, fields) {
    return this.open(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  }

  // Follows until there is a page, or until `stop` says of an address that it is not to be opened.
  async follow(page, stop = () => false) {
    for (let hops = 0; page.to && hops < 20; ++hops) {
      if (stop(page.to)) return page;
      page = await this.open(page.to);
    }
    return page;
  }
}

// Text of a page, without its markup.
export function words(page) {
  return page.text
    .replace(/<(style|title)[^]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;|&#x27;|&apos;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}
