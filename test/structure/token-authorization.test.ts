// Permissions of API tokens, for every line of routes.txt: without one, with the wrong and the right scope, limited to
// another folder, of another tenant, expired, revoked, and of a service account. The tables below list the exceptions,
// so that a change of the contracts fails here.
import { readFileSync } from 'node:fs';
import { createServiceAccount } from '@recordproof/shared/api/accounts.ts';
import { createApiToken, createServiceToken, revokeApiToken } from '@recordproof/shared/api/api-tokens.ts';
import { type AnyEndpoint, type Permission, tokenPermissions, tokenScopeOf } from '@recordproof/shared/api/endpoint.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEndpoints, routesFile } from '../../scripts/routes.ts';
import { permissionsOf } from '../../server/src/features/accounts/index.ts';
import { Person } from '../support/app.ts';
import { ask, type Reply, withoutInput } from '../support/authorization/ask.ts';
import { entries } from '../support/authorization/entries.ts';
import { type Entry, own, type Question } from '../support/authorization/entry.ts';
import * as things from '../support/authorization/fixtures.ts';
import { openWorld, type World } from '../support/authorization/world.ts';

const endpoints = await listEndpoints();
const byCall = new Map<string, AnyEndpoint>(
  endpoints.flatMap(endpoint =>
    [endpoint.path, ...endpoint.aliases].map(path => [`${endpoint.method} ${path}`, { ...endpoint, path }] as const),
  ),
);
const routes = readFileSync(routesFile, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map(line => line.split('→')[0]?.trim() ?? '');

const cases = [
  'no token',
  'wrong scope',
  'right scope',
  'other folder',
  'other tenant',
  'expired',
  'revoked',
  'service account',
] as const;
type Case = (typeof cases)[number];

let world: World;
const tokens = new Map<string, Promise<Person>>();
const tested: string[] = [];
const asked = new Map<Case, number>(cases.map(name => [name, 0]));

beforeAll(async () => {
  world = await openWorld();
  for (const side of [world.home, world.away]) await things.file.make(side, world);
  const { administrator } = world.home;
  await world.app.app.database.db
    .updateTable('account')
    .set({ installation_admin: 1 })
    .where('username', '=', administrator.name)
    .execute();
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const toPerson = (token: string): Person => new Person('token', world.app.app.url, token);

type TokenOptions = { readonly scopes: readonly Permission[]; readonly folder?: string };

/** One token per set of scopes. */
function tokenOf(person: Person, wanted: TokenOptions): Promise<Person> {
  const key = `${person.name} ${JSON.stringify(wanted)}`;
  const known = tokens.get(key);
  if (known) return known;
  const body = { name: 'matrix', ...wanted, scopes: [...wanted.scopes] };
  const made = person.call(createApiToken, { body }).then(({ token }) => toPerson(token));
  tokens.set(key, made);
  return made;
}

function serviceToken(): Promise<Person> {
  const known = tokens.get('service');
  if (known) return known;
  const make = async () => {
    const { administrator } = world.home;
    const { id } = await administrator.call(createServiceAccount, { body: { username: world.newName() } });
    const body = { name: 'matrix', scopes: [...permissionsOf('user')] };
    return toPerson((await administrator.call(createServiceToken, { params: { id }, body })).token);
  };
  const made = make();
  tokens.set('service', made);
  return made;
}

function deadToken(why: 'expired' | 'revoked'): Promise<Person> {
  const known = tokens.get(why);
  if (known) return known;
  const make = async () => {
    const { administrator } = world.home;
    const body = { name: why, scopes: [...tokenPermissions] };
    const { token, apiToken } = await administrator.call(createApiToken, { body });
    if (why === 'revoked') await administrator.call(revokeApiToken, { params: { id: apiToken.id } });
    else
      await world.app.app.database.db
        .updateTable('api_token')
        .set({ expires_at: 1 })
        .where('id', '=', Number(apiToken.id))
        .execute();
    return toPerson(token);
  };
  const made = make();
  tokens.set(why, made);
  return made;
}

const messageOf = ({ body }: Reply): string => {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message);
  } catch {
    return '';
  }
};
const noTokens = 'an API token may not do this: sign in';
const limited = 'an API token that is limited to a folder may not do this';
const lacking = (scope: string): string => `this needs the scope ${scope}, which the API token does not have`;
const isAboutTokens = (message: string): boolean =>
  message.includes('API token') && !message.startsWith('there is no API token');

const isOpen = ({ access }: AnyEndpoint): boolean => access === 'anonymous' || access === 'optional';

async function expectReply(
  name: Case,
  reply: Reply,
  expected: { readonly status?: number; readonly message?: string },
) {
  asked.set(name, (asked.get(name) ?? 0) + 1);
  expect({ name, status: reply.status, message: messageOf(reply) }, reply.body.slice(0, 300)).toMatchObject({
    name,
    ...expected,
  });
}

async function expectAdmitted(name: Case, reply: Reply, endpoint: AnyEndpoint): Promise<void> {
  asked.set(name, (asked.get(name) ?? 0) + 1);
  const message = messageOf(reply);
  expect(
    {
      name,
      isAboutTokens: isAboutTokens(message),
      is401: reply.status === 401 && !isOpen(endpoint),
      is5xx: reply.status >= 500,
    },
    message,
  ).toEqual({
    name,
    isAboutTokens: false,
    is401: false,
    is5xx: false,
  });
}

/** An account whose role has the permission, the least powerful first. */
const holderOf = (scope: Permission): Person => {
  const { owner, administrator } = world.home;
  return permissionsOf('user').has(scope) ? owner : administrator;
};

type Asking = { readonly endpoint: AnyEndpoint; readonly question: Question };

async function checkWithoutLife({ endpoint, question }: Asking): Promise<void> {
  const expected = { status: 401 };
  const put = (person: Person) => ask(person, endpoint, question);
  const people = {
    'no token': world.app.anonymous,
    expired: await deadToken('expired'),
    revoked: await deadToken('revoked'),
  };
  for (const [name, person] of Object.entries(people) as [Case, Person][]) {
    const reply = await put(person);
    if (!isOpen(endpoint)) await expectReply(name, reply, expected);
    else {
      asked.set(name, (asked.get(name) ?? 0) + 1);
      expect(messageOf(reply), name).not.toContain('API token'); // anonymously
    }
  }
}

async function checkScopes(asking: Asking, about: () => Promise<Question>): Promise<void> {
  const { endpoint } = asking;
  const scope = tokenScopeOf(endpoint);
  const { owner, administrator } = world.home;
  const isListed = endpoint.access !== 'anonymous';
  const others = tokenPermissions.filter(one => one !== scope);
  const wrong = await ask(await tokenOf(administrator, { scopes: others }), endpoint, asking.question);
  if (!isListed || scope === 'any') await expectAdmitted('wrong scope', wrong, endpoint);
  else await expectReply('wrong scope', wrong, { status: 403, message: scope === 'none' ? noTokens : lacking(scope) });

  const service = await ask(await serviceToken(), endpoint, asking.question);
  const isAllowed = scope === 'any' || (scope !== 'none' && permissionsOf('user').has(scope));
  if (!isListed || isAllowed) await expectAdmitted('service account', service, endpoint);
  else
    await expectReply('service account', service, {
      status: 403,
      message: scope === 'none' ? noTokens : lacking(scope),
    });

  await checkFolder(asking);
  const question = await about();
  const isScope = scope !== 'any' && scope !== 'none';
  const right = await tokenOf(isScope ? holderOf(scope) : owner, { scopes: [isScope ? scope : 'file:read'] });
  const reply = await ask(right, endpoint, question);
  if (isListed && scope === 'none') await expectReply('right scope', reply, { status: 403, message: noTokens });
  else await expectAdmitted('right scope', reply, endpoint);
}

/** Another folder than that of the token. */
function namesFolder({ folderScope }: AnyEndpoint, { query, json }: Question): boolean {
  return [folderScope?.folder ?? [], folderScope?.otherFolders ?? []].flat().some(field => {
    const [part, name = ''] = field.split('.');
    const named = part === 'query' ? query : part === 'body' ? (json as Question['query']) : undefined;
    return named?.[name] !== undefined;
  });
}

/** Objects of the test world are in no folder. */
async function checkFolder({ endpoint, question }: Asking): Promise<void> {
  const scope = tokenScopeOf(endpoint);
  const holder = scope === 'any' || scope === 'none' ? world.home.owner : holderOf(scope);
  const scopes: readonly Permission[] = scope === 'any' || scope === 'none' ? ['file:read'] : [scope];
  const reply = await ask(await tokenOf(holder, { scopes, folder: 'elsewhere' }), endpoint, question);
  if (endpoint.access === 'anonymous') return expectAdmitted('other folder', reply, endpoint);
  if (scope === 'none') return expectReply('other folder', reply, { status: 403, message: noTokens });
  if (endpoint.folderScope === undefined) return expectReply('other folder', reply, { status: 403, message: limited });
  if (namesFolder(endpoint, question))
    return expectReply('other folder', reply, {
      status: 403,
      message: 'this API token is limited to the folder "elsewhere"',
    });
  if (endpoint.name === 'listFolders') return expectReply('other folder', reply, { status: 404 }); // the caller's own, which does not exist
  const namesThings = entriesOf(endpoint.name).some(({ kind }) => kind === 'about');
  if (namesThings) return expectReply('other folder', reply, { status: 404 });
  expect(reply.body).not.toContain(world.home.mark);
  return expectReply('other folder', reply, { status: 200 });
}

const entriesOf = (name: string): readonly Entry[] => [entries[name] ?? own()].flat();

async function checkOtherTenant(endpoint: AnyEndpoint, entry: Entry, theirs: Question): Promise<void> {
  const far = await tokenOf(world.people['administrator of another tenant'], { scopes: [...permissionsOf('admin')] });
  const reply = await ask(far, endpoint, theirs);
  expect(reply.body).not.toContain(world.home.mark);
  if (entry.kind !== 'about' || entry.knows['administrator of another tenant'] !== undefined) {
    asked.set('other tenant', (asked.get('other tenant') ?? 0) + 1);
    return;
  }
  const nonsense = await entry.nonsense(world);
  const missing = withoutInput(await ask(far, endpoint, nonsense), nonsense);
  await expectReply('other tenant', withoutInput(reply, theirs), {
    status: missing.status,
    message: messageOf(missing),
  });
}

/** Of the endpoints whose tokens are checked before they run, one for each permission: the check is the same for all. */
function* listUnlike(): Generator<string> {
  const seen = new Set<string>();
  for (const call of routes) {
    const endpoint = byCall.get(call) as AnyEndpoint;
    const rule = `${endpoint.access} ${tokenScopeOf(endpoint)}`;
    if (endpoint.folderScope !== undefined || !seen.has(rule)) yield call;
    seen.add(rule);
  }
}
const unlike = new Set(listUnlike());

test.each([...unlike])('%s', checkTokens);
test.each(routes.filter(call => !unlike.has(call)))('%s', { tags: 'long' }, checkTokens);

async function checkTokens(call: string): Promise<void> {
  tested.push(call);
  const endpoint = byCall.get(call) as AnyEndpoint;
  const [entry = own()] = entriesOf(endpoint.name);
  const { owner } = world.home;
  const make = async (): Promise<Question> =>
    entry.kind === 'about' ? entry.make(world.home, world) : entry.ask(owner, world);
  const question = await make();
  await checkWithoutLife({ endpoint, question: entry.kind === 'about' ? question : await make() });
  await checkOtherTenant(endpoint, entry, entry.kind === 'about' ? question : await make());
  await checkScopes({ endpoint, question: entry.kind === 'about' ? await make() : question }, make);
}

test('every case was tested on every line of routes.txt, or in npm test on one for each permission', () => {
  expect([unlike.size, routes.length]).toContain(tested.length);
  expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(cases.map(name => [name, tested.length])));
});

const namesOf = (matches: (endpoint: AnyEndpoint) => boolean): string[] =>
  endpoints
    .filter(endpoint => endpoint.access !== 'anonymous' && matches(endpoint))
    .map(({ name }) => name)
    .sort();

test('lists of endpoints that accept no API token, or any', () => {
  expect(namesOf(endpoint => tokenScopeOf(endpoint) === 'any')).toMatchInlineSnapshot(`
    [
      "connectEvents",
      "getHealth",
      "issueStreamToken",
      "me",
    ]
  `);
  expect(namesOf(endpoint => tokenScopeOf(endpoint) === 'none')).toMatchInlineSnapshot(`
    [
      "addPasskey",
      "beginPasskey",
      "beginTotp",
      "changeEmail",
      "changePassword",
      "confirmTotp",
      "connectProvider",
      "createApiToken",
      "createInvitation",
      "createServiceAccount",
      "createServiceToken",
      "createTenant",
      "createTrustRule",
      "createUser",
      "deleteTenant",
      "disconnectEvents",
      "downloadImage",
      "endOneSession",
      "endOtherSessions",
      "finishProviderStepUp",
      "getApiToken",
      "getInstallationSweep",
      "getStreamStatus",
      "keepSession",
      "listApiTokens",
      "listConnections",
      "listSessions",
      "listTenants",
      "logout",
      "ownFactors",
      "putFactorRequirement",
      "refreshToken",
      "removeConnection",
      "removePasskey",
      "removeTotp",
      "renamePasskey",
      "renewRecoveryCodes",
      "resetUserFactors",
      "revokeApiToken",
      "setMaintenance",
      "signOutAtProvider",
      "startProviderStepUp",
      "stepUp",
      "takeAllCensuses",
      "updateProfile",
      "updateTenantStatus",
      "updateUserRole",
      "uploadAvatar",
      "uploadImage",
    ]
  `);
  expect(namesOf(endpoint => endpoint.folderScope !== undefined)).toMatchInlineSnapshot(`
    [
      "abortDirectUpload",
      "cancelUpload",
      "checkUpload",
      "completeDirectUpload",
      "completeUpload",
      "completeUploadSession",
      "connectEvents",
      "continueVersion",
      "createDropLink",
      "createFolder",
      "createShare",
      "createStream",
      "createUploadSession",
      "deleteFile",
      "deleteFolder",
      "downloadFile",
      "downloadFiles",
      "downloadFolder",
      "downloadMany",
      "downloadMetadata",
      "exportEvidence",
      "exportManyEvidence",
      "exportProof",
      "exportProofs",
      "getFile",
      "getFileOts",
      "getHealth",
      "getProofStatus",
      "issueStreamToken",
      "listFiles",
      "listFolderFiles",
      "listFolders",
      "listIssuerKeys",
      "listVersions",
      "me",
      "move",
      "moveToTrash",
      "pauseUpload",
      "readThumbnails",
      "restoreFromTrash",
      "restoreVersion",
      "resumeUpload",
      "revokeProof",
      "sealFolder",
      "searchFiles",
      "shareWithFriend",
      "startDirectUpload",
      "startUpload",
      "uploadChunk",
      "uploadFile",
      "uploadMany",
      "uploadPart",
      "uploadProgress",
    ]
  `);
});
