// A provider of our own that does as it should, until it is told to cheat.
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import http from 'node:http';

const b64 = (value) =>
  Buffer.from(typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value))
    .toString('base64url');

export class HostileProvider {
  keys = [];
  codes = new Map();
  asked = { keys: 0, token: 0, document: 0 };
  // (claims, header) => void: changes them before they are signed.
  bend = () => {};
  // (header, claims, key) => token: instead of an honest signature.
  forge = null;
  answer_with_issuer = false;
  token_answer = null;

  static async start() {
    const self = new HostileProvider();
    self.server = http.createServer((request, response) => self.handle(request, response));
    await new Promise((done) => self.server.listen(0, '127.0.0.1', done));
    self.issuer = `http://127.0.0.1:${self.server.address().port}/pool`;
    self.rotate();
    return self;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  // Another key takes the place of all.
  rotate() {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.keys = [{ kid: randomBytes(4).toString('hex'), privateKey, publicKey }];
  }

  rs256(header, claims, { privateKey } = this.keys[0]) {
    const body = `${b64(header)}.${b64(claims)}`;
    return `${body}.${b64(sign('sha256', Buffer.from(body), privateKey))}`;
  }
  // As if what everybody knows were a secret.
  hs256(header, claims) {
    const secret = this.keys[0].publicKey.export({ type: 'spki', format: 'pem' });
    const body = `${b64({ ...header, alg: 'HS256' })}.${b64(claims)}`;
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  }
  unsigned(header, claims) {
    return `${b64({ ...header, alg: 'none' })}.${b64(claims)}.`;
  }

  // What comes back from it for an address where a browser was sent.
  answer(address) {
    const asked = new URL(address).searchParams;
    const code = randomBytes(16).toString('base64url');
    this.codes.set(code, asked);
    const back = new URL(asked.get('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state'));
    if (this.answer_with_issuer) back.searchParams.set('iss', this.issuer);
    return back.href;
  }

  token(asked) {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: 'RS256', kid: this.keys[0].kid, typ: 'JWT' };
    const claims = {
      iss: this.issuer,
      sub: 'mallory',
      aud: asked.get('client_id'),
      iat: now,
      exp: now + 300,
      nonce: asked.get('nonce'),
      email: 'mallory@example.com',
      email_verified: true,
    };
    this.bend(claims, header);
    return (this.forge ?? ((h, c) => this.rs256(h, c)))(header, claims);
  }

  async handle(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = new URL(request.url, this.issuer).pathname;
    const send = (body, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (path === '/pool/.well-known/openid-configuration') {
      ++this.asked.document;
      return send({
        issuer: this.issuer,
        authorization_endpoint: `${this.issuer}/authorize`,
        token_endpoint: `${this.issuer}/token`,
        jwks_uri: `${this.issuer}/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    }
    if (path === '/pool/keys') {
      ++this.asked.keys;
      return send({
        keys: this.keys.map(({ kid, publicKey }) => ({
          ...publicKey.export({ format: 'jwk' }),
          kid,
          use: 'sig',
        })),
      });
    }
    if (path === '/pool/token') {
      ++this.asked.token;
      if (this.token_answer) return send(this.token_answer, 400);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const asked = this.codes.get(form.get('code'));
      if (!asked) return send({ error: 'invalid_grant' }, 400);
      return send({ access_token: 'x', token_type: 'Bearer', id_token: this.token(asked) });
    }
    return send({ error: 'not_found' }, 404);
  }
}
