// Exchange of workload identity tokens for API tokens: rules, validation, replay, and concurrent deletions.
import { createPublicKey } from 'node:crypto';
import { createServiceAccount, deleteUser } from '@recordproof/shared/api/accounts.ts';
import { listTokensOfUser } from '@recordproof/shared/api/api-tokens.ts';
import { me } from '@recordproof/shared/api/auth.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import * as api from '@recordproof/shared/api/workload-identity.ts';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { Person } from '../../../../test/support/app.ts';
import { listAuditRows } from '../../../../test/support/audit-rows.ts';
import { eachApp, type StartApp } from '../../../../test/support/each-app.ts';
import { newSigningKey, openTokenIssuer } from '../../../../test/support/token-issuer.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { localOrigin } from '../../platform/call.ts';
import { exchangeIdentity } from './exchange-identity.ts';
import { findBadIssuer, findMismatch, matches } from './policy.ts';

const audience = 'https://evidence.example.org';
const repository = 'acme/app';

test.each([
  ['acme/app', 'acme/app', true],
  ['acme/*', 'acme/app', true],
  ['acme/*', 'acme/app/fork', false],
  ['acme/*', 'acmeX/app', false],
  ['repo:acme/app:ref:refs/heads/*', 'repo:acme/app:ref:refs/heads/main', true],
  ['acme.app', 'acmexapp', false],
  ['*', '', true],
  ['acme/app', 'acme/app\n', false],
  ['*', 'a\nb', true],
  ['*/*', 'acme/app', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a*a', 'a', false],
  ['main**', 'main', true],
  ['release-*.*', 'release-1.2', true],
  ['release-*.*', 'release-12', false],
])('pattern %s against %s matches: %s', (pattern, value, isMatch) => {
  expect(matches(pattern, value)).toBe(isMatch);
});

test('a pattern with many wildcards is matched in linear time', () => {
  const begun = performance.now();
  expect(matches(`${'*a'.repeat(5)}b`, 'a'.repeat(150))).toBe(false);
  expect(performance.now() - begun).toBeLessThan(500);
});

test('a rule compares the audience and every claim, and an issuer must be an https or loopback address', () => {
  const rule = {
    audience,
    claims: [
      { name: 'repository', pattern: repository },
      { name: 'attempt', pattern: '1' },
    ],
  };
  const good = { aud: ['other', audience], repository, attempt: 1 };
  expect(findMismatch(rule, good)).toBeNull();
  expect(findMismatch(rule, { ...good, aud: `${audience}/` })).toBe('the audience is another');
  expect(findMismatch(rule, { ...good, repository: [repository] })).toBe('the claim repository does not match');
  expect(findMismatch({ ...rule, claims: [{ name: 'toString', pattern: '*' }] }, good)).not.toBeNull();
  for (const bad of [
    'http://example.org',
    'ftp://x',
    'https://u:p@x',
    'https://x/?q',
    'x',
    'http://127.0.0.1.example.org',
  ])
    expect(findBadIssuer(bad), bad).not.toBeNull();
  for (const fine of ['https://gitlab.example.org', 'http://127.0.0.1:3000', 'https://git.example.org/api/actions'])
    expect(findBadIssuer(fine), fine).toBeNull();
});

async function openWorld(start: StartApp) {
  const stack = new AsyncDisposableStack();
  const app = stack.use(await start());
  const issuer = stack.use(await openTokenIssuer());
  const root = await app.person('root', { role: 'admin' });
  const account = await root.call(createServiceAccount, { body: { username: 'builds' } });
  const rule = (more: Partial<BodyInput<typeof api.createTrustRule>> = {}) =>
    root.call(api.createTrustRule, {
      params: { id: account.id },
      body: {
        ...{ name: 'main branch', issuer: issuer.url, audience, scopes: ['file:read', 'file:write'], folder: 'builds' },
        claims: [{ name: 'repository', pattern: repository }],
        ...more,
      },
    });
  let jobs = 0;
  const claims = (more: Record<string, unknown> = {}): JWTPayload => {
    jobs += 1;
    const now = Math.floor(app.clock.now() / 1000);
    const times = { iat: now, exp: now + 300, jti: `job ${jobs}` };
    return { iss: issuer.url, aud: audience, sub: `repo:${repository}`, repository, ...times, ...more };
  };
  const body = (subjectToken: string) => ({ body: { account: account.externalId, subjectToken } });
  const exchange = async (token: string) => {
    const answer = await app.anonymous.call(api.exchangeIdentity, body(token));
    return { ...answer, person: new Person('job', app.app.url, answer.token) };
  };
  const rejected = (token: string) => app.anonymous.expectError(api.exchangeIdentity, body(token));
  return {
    app,
    issuer,
    root,
    account,
    rule,
    claims,
    exchange,
    refused: rejected,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

eachApp(start => {
  test('a job exchanges its identity token once, for a 15 minute token limited by the rule', async () => {
    await using world = await openWorld(start);
    const { app, issuer, root, account, rule, claims, exchange, refused: rejected } = world;
    const { id: ruleId } = await rule();
    const identity = await issuer.sign(claims());
    const { person, ...answer } = await exchange(identity);
    expect(answer).toMatchObject({ expiresIn: 900, scopes: ['file:read', 'file:write'], folder: 'builds' });
    expect(await person.call(me)).toMatchObject({
      username: 'builds',
      apiToken: { name: 'main branch', folder: 'builds' },
    });
    expect(await sendFile(person, Buffer.from('artifact'), 'app.tar')).toMatchObject({ status: 200 });
    expect(await sendFile(person, Buffer.from('artifact'), 'app.tar', { path: 'other' })).toMatchObject({
      status: 403,
    });
    expect(await rejected(identity)).toMatchObject({
      kind: 'PERMISSION_TOKEN_INVALID',
      message: expect.stringContaining('used before'),
    });
    const rivals = await issuer.sign(claims({ jti: undefined }));
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => exchange(rivals)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const params = { id: account.id };
    expect(await root.call(listTokensOfUser, { params })).toHaveLength(2);
    await root.call(api.deleteTrustRule, { params: { ...params, ruleId } });
    expect(await person.expectError(me)).toMatchObject({ status: 401 });
    expect(await rejected(await issuer.sign(claims()))).toMatchObject({ status: 401 });
    await rule();
    const late = await exchange(await issuer.sign(claims()));
    app.clock.advance(901_000);
    expect(await late.person.expectError(me)).toMatchObject({ kind: 'PERMISSION_TOKEN_EXPIRED' });
    await root.call(deleteUser, { params, query: { files: 'keep' } });
    expect(await rejected(await issuer.sign(claims()))).toMatchObject({ status: 401 });
    const rows = await listAuditRows(app.app.database.db, { module: 'workload-identity' });
    expect(rows.map(row => row.operation_type)).toEqual(
      expect.arrayContaining(['create-rule', 'exchange', 'delete-rule']),
    );
    expect(JSON.stringify(rows)).not.toContain(answer.token);
  });

  test('a rule that is deleted while a job exchanges its identity token leaves no live API token', async () => {
    await using world = await openWorld(start);
    const { app, issuer, root, account, rule, claims, exchange } = world;
    const remove = (ruleId: string) => root.call(api.deleteTrustRule, { params: { id: account.id, ruleId } });
    const slow = await rule();
    const payload = { ...claims(), exp: app.clock.now() / 1000 + 300 };
    const issuerKeys = {
      verify: async () => {
        await remove(slow.id);
        return payload;
      },
    };
    const body = { account: account.externalId, subjectToken: await issuer.sign(payload) };
    const origin = localOrigin('test', app.clock.now());
    await expect(exchangeIdentity({ ...app.app.server, issuerKeys }, origin, body)).rejects.toMatchObject({
      kind: 'PERMISSION_TOKEN_INVALID',
    });
    for (let round = 0; round < 5; round += 1) {
      const { id } = await rule();
      const identity = await issuer.sign(claims());
      const [issued] = await Promise.all([exchange(identity).catch(() => null), remove(id)]);
      if (issued) expect(await issued.person.expectError(me)).toMatchObject({ status: 401 });
    }
  });

  test('an account that is deleted while its jobs exchange identity tokens: no call fails by a deadlock', async () => {
    await using world = await openWorld(start);
    const { root, account, rule, claims, issuer, exchange } = world;
    await rule();
    const identities = await Promise.all([1, 2, 3, 4].map(() => issuer.sign(claims())));
    const ends = await Promise.allSettled([
      ...identities.map(identity => exchange(identity)),
      root.call(deleteUser, { params: { id: account.id }, query: { files: 'keep' } }),
    ]);
    const statuses = ends.map(end => (end.status === 'rejected' ? end.reason.status : 200));
    expect(statuses.filter(status => status !== 200 && status !== 401)).toEqual([]);
  });

  test('an identity token may expire at a fraction of a second, or never', { tags: 'long-on-postgres' }, async () => {
    await using world = await openWorld(start);
    const { app, issuer, rule, claims, exchange } = world;
    await rule();
    for (const exp of [app.clock.now() / 1000 + 300.0001, 1e300])
      expect(await exchange(await issuer.sign(claims({ exp })))).toMatchObject({ expiresIn: 900 });
  });

  test('forged, foreign, expired and mismatched identity tokens are rejected', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, issuer, root, account, rule, claims, exchange, refused: rejected } = world;
    await rule();
    await using stranger = await openTokenIssuer();
    const [key] = issuer.keys;
    if (!key) throw new Error('the issuer has a key');
    const now = Math.floor(app.clock.now() / 1000);
    const publicPem = createPublicKey({ key: key.publicJwk as JsonWebKey, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const forger = await newSigningKey('first');
    const good = await issuer.sign(claims());
    const [head, , signature] = good.split('.');
    const other = Buffer.from(JSON.stringify(claims({ repository: 'eve/app' }))).toString('base64url');
    const identities: Record<string, string> = {
      'no token': 'nonsense',
      'another issuer': await stranger.sign(claims({ iss: stranger.url })),
      'the issuer by name only': await stranger.sign(claims()),
      'another audience': await issuer.sign(claims({ aud: 'https://other.example.org' })),
      'no audience': await issuer.sign(claims({ aud: undefined })),
      'another repository': await issuer.sign(claims({ repository: 'eve/app' })),
      'a claim that is missing': await issuer.sign(claims({ repository: undefined })),
      'alg none': new UnsecuredJWT(claims()).encode(),
      'HS256 with the public key': await new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(new TextEncoder().encode(String(publicPem))),
      'a key of somebody else under a known kid': await issuer.sign(claims(), { key: forger }),
      'an unknown kid': await issuer.sign(claims(), { kid: 'second' }),
      'another payload under a good signature': [head, other, signature].join('.'),
      expired: await issuer.sign(claims({ iat: now - 900, exp: now - 120 })),
      'no end': await issuer.sign(claims({ exp: undefined })),
      'not yet': await issuer.sign(claims({ nbf: now + 600 })),
    };
    for (const [what, identity] of Object.entries(identities))
      expect(await rejected(identity), what).toMatchObject({ kind: 'PERMISSION_TOKEN_INVALID' });
    expect(await exchange(good)).toMatchObject({ expiresIn: 900 });
    const unknownAccount = { account: `U${'x'.repeat(22)}`, subjectToken: await issuer.sign(claims()) };
    expect(await app.anonymous.expectError(api.exchangeIdentity, { body: unknownAccount })).toMatchObject({
      status: 401,
    });
    for (const issuerUrl of ['http://example.org', 'https://user@example.org'])
      expect(await rule({ issuer: issuerUrl }).catch(error => error), issuerUrl).toMatchObject({ status: 400 });
    expect(await rule({ scopes: ['system:admin'] }).catch(error => error)).toMatchObject({ status: 400 });
    expect(await root.call(api.listTrustRules, { params: { id: account.id } })).toHaveLength(1);
    expect(stranger.asked()).toBe(0); // nobody's word makes this server ask an address
  });

  test('new keys of an issuer are fetched when a token names one, and invalid documents are rejected', {
    tags: 'long-on-postgres',
  }, async () => {
    await using world = await openWorld(start);
    const { app, issuer, rule, claims, exchange, refused: rejected } = world;
    await rule();
    await exchange(await issuer.sign(claims()));
    const second = await newSigningKey('second', 'ES256');
    issuer.keys = [second, ...issuer.keys];
    const early = await issuer.sign(claims(), { alg: 'ES256' });
    expect(await rejected(early)).toMatchObject({ status: 401 }); // asked half a minute ago
    const asked = issuer.asked();
    for (let tries = 0; tries < 5; tries += 1) await rejected(early);
    expect(issuer.asked()).toBe(asked);
    app.clock.advance(31_000);
    await exchange(early);
    issuer.keys = [second];
    app.clock.advance(601_000);
    const first = await newSigningKey('first');
    expect(await rejected(await issuer.sign(claims(), { key: first }))).toMatchObject({ status: 401 });
    app.clock.advance(601_000);
    issuer.document = { issuer: 'https://other.example.org' };
    expect(await rejected(await issuer.sign(claims(), { alg: 'ES256' }))).toMatchObject({ status: 503 });
    issuer.document = { jwks_uri: 'http://example.org/keys' };
    expect(await rejected(await issuer.sign(claims(), { alg: 'ES256' }))).toMatchObject({ status: 503 });
    issuer.document = {};
    await exchange(await issuer.sign(claims(), { alg: 'ES256' }));
  });
});
