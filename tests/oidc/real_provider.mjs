// The npm package oidc-provider, as a company would run it. People type any name; their address of
// mail is NAME@example.com.
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import { Provider } from 'oidc-provider';

// It says at each start that this is not how to run it for real.
console.info = console.warn = () => {};

function jwk(kind, alg, kid) {
  const options = { RSA: { modulusLength: 2048 }, EC: { namedCurve: 'P-256' } }[kind] ?? {};
  const { privateKey } = generateKeyPairSync({ RSA: 'rsa', EC: 'ec', OKP: 'ed25519' }[kind], options);
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg };
}

export class RealProvider {
  static async start() {
    const self = new RealProvider();
    self.server = http.createServer((request, response) => self.handler(request, response));
    await new Promise((done) => self.server.listen(0, '127.0.0.1', done));
    self.issuer = `http://127.0.0.1:${self.server.address().port}`;
    return self;
  }

  // From now on with new keys, ID tokens by `algorithm`, and nobody signed in.
  use(algorithm, redirect, more = {}) {
    const kind = { RS256: 'RSA', PS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' }[algorithm];
    const id = `${algorithm}-${(this.made = (this.made ?? 0) + 1)}`;
    const keys = [jwk(kind, algorithm, id)];
    // It wants one of these, whatever it is used for.
    if (kind !== 'RSA') keys.push(jwk('RSA', 'RS256', `spare-${this.made}`));
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: 'cairn',
          client_secret: 'what only the two know',
          redirect_uris: [redirect],
          id_token_signed_response_alg: algorithm,
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      jwks: { keys },
      enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, groups: ['staff'] }),
      }),
      cookies: { keys: ['a key of this test'] },
      ...more,
    });
    const answer = provider.callback();
    this.handler = answer;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

// What a person does there, from its first page to the address of the answer.
export async function sign_in_there(browser, page, name, back) {
  const stop = (url) => url.startsWith(back);
  page = await browser.follow(page, stop);
  for (let forms = 0; !page.to && forms < 4; ++forms) {
    const action = /action="([^"]+)"/.exec(page.text)?.[1];
    const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1];
    if (!action) throw new Error(`no form at ${page.url}: ${page.status} ${page.text.slice(0, 500)}`);
    const fields = prompt === 'login' ? { prompt, login: name, password: 'any' } : { prompt };
    page = await browser.submit(new URL(action, page.url).href, fields);
    page = await browser.follow(page, stop);
  }
  return page.to;
}
