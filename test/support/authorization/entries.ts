// The authorization matrix's entry of every endpoint, by its name: `own(…)` for calls about nothing or about the
// caller, `about(…)` for calls that name an object. A new endpoint needs one here; a new kind of object goes into
// things.ts.
import { type mailCodeTypes, me, requestMailCode } from '@recordproof/shared/api/auth.ts';
import { getCryptoPolicy } from '@recordproof/shared/api/crypto-policy.ts';
import { type Person, testPassword } from '../app.ts';
import * as pictures from '../pictures.ts';
import { cut, toBulkForm, toForm, toParts, toPlan } from '../uploads.ts';
import {
  about,
  administratorOnly,
  type Entry,
  everybody,
  type Knows,
  knowsNothing,
  own,
  ownerAndAdministrator,
  ownerAndFriend,
  ownerOnly,
  wholeTenant,
} from './entry.ts';
import * as things from './fixtures.ts';
import type { World } from './world.ts';

const { uploadBytes } = things;

/** The code that is mailed to a new address. */
async function codeFor(world: World, email: string, type: (typeof mailCodeTypes)[number]): Promise<string> {
  await world.app.anonymous.call(requestMailCode, { body: { email, type } });
  return world.app.mailedCode(email);
}

const toAddress = (name: string): string => `${name}@example.org`;

async function registration(world: World) {
  const username = world.newName();
  const email = toAddress(username);
  return { json: { username, email, password: testPassword, code: await codeFor(world, email, 'register') } };
}

async function newAddress(_person: Person, world: World) {
  const email = toAddress(world.newName());
  return { json: { email, code: await codeFor(world, email, 'modify'), password: testPassword } };
}

async function forgotten(world: World) {
  const email = toAddress((await world.spare('stranger')).name);
  return { json: { email, code: await codeFor(world, email, 'reset'), password: testPassword } };
}

/** The name is the digest of the content, so only the page of the app knows it. */
async function findAppFile({ app }: World): Promise<string> {
  const page = await (await app.anonymous.fetch('/app')).text();
  return /\/app\/assets\/(app-\w+\.js)/.exec(page)?.[1] ?? '';
}

const tinyPng = pictures.png.toString('base64');
const aPicture = () => ({ form: toForm('file', pictures.png, {}, {}, 'x.png') });
/** Well-formed, but not a valid code. */
const aSecret = 'A'.repeat(43);
const announcementText = { title: 'To all', content: 'of the tenant' };

/** A holder of an invitation code learns that it is valid, and still needs a mailed code. */
const sentToEverybody = Object.fromEntries(Object.keys(everybody).map(who => [who, 'told'])) as Knows;

const accounts: Readonly<Record<string, Entry | readonly Entry[]>> = {
  login: [
    own(async (_person, world) => ({
      json: { username: (await world.spare('stranger')).name, password: testPassword },
    })),
    about(things.login, knowsNothing, ({ username }) => ({ json: { username, password: 'a wrong guess' } }), {
      writes: true,
    }),
  ],
  getRegistration: own(),
  register: own((_person, world) => registration(world)),
  requestMailCode: about(things.login, everybody, ({ email }) => ({ json: { email, type: 'reset' } }), {
    writes: true,
  }),
  resetPassword: [
    own((_person, world) => forgotten(world)),
    about(things.login, knowsNothing, ({ email }) => ({ json: { email, code: '000000', password: testPassword } })),
  ],
  setUp: own(
    (_person, world) => {
      const username = world.newName();
      const setupCode = 'x'.repeat(20);
      return { json: { setupCode, username, email: toAddress(username), password: testPassword } };
    },
    { status: 409 },
  ),
  logout: own(() => ({ json: {} }), { spoils: true }),
  updateProfile: own(() => ({ json: { nickname: 'Nick' } }), { spoils: true }),
  refreshToken: own(() => ({}), { spoils: true }),
  keepSession: own(() => ({ json: { stay: true } }), { spoils: true }),
  // Authenticated by cookie alone: tested in persistent-sessions.test.ts.
  resumeSession: own(() => ({}), { status: 403 }),
  forgetSession: own(() => ({}), { status: 403 }),
  listSessions: own(),
  endOneSession: about(things.session, ownerOnly, params => ({ params })),
  endOtherSessions: own(() => ({}), { spoils: true }),
  giveSecondFactor: own(() => ({ json: { challenge: 'x'.repeat(43), proof: { kind: 'totp', code: '000000' } } }), {
    status: 400,
  }),
  beginEnrolment: own(() => ({ json: { challenge: 'x'.repeat(43) } }), { status: 400 }),
  completeEnrolment: own(() => ({ json: { challenge: 'x'.repeat(43), code: '000000' } }), { status: 400 }),
  beginPasskeyEnrolment: own(() => ({ json: { challenge: 'x'.repeat(43) } }), { status: 400 }),
  completePasskeyEnrolment: own(
    () => ({ json: { challenge: 'x'.repeat(43), name: 'Key', credential: things.noAttestation } }),
    { status: 400 },
  ),
  stepUp: own(() => ({ json: { proof: { kind: 'password', password: testPassword } } }), { spoils: true }),
  ownFactors: own(),
  addPasskey: own(() => ({ json: { name: 'Key', credential: things.noAttestation } }), { status: 400 }),
  signInWithPasskey: own(() => ({ json: { credential: things.noAssertion } }), { status: 400 }),
  renamePasskey: about(things.passkey, ownerOnly, ({ id }) => ({ params: { id }, json: { name: 'Key' } })),
  removePasskey: about(things.passkey, ownerOnly, ({ id }) => ({ params: { id } })),
  beginTotp: own(() => ({}), { spoils: true }),
  confirmTotp: own(() => ({ json: { code: '000000' } }), { status: 400 }),
  removeTotp: own(() => ({}), { status: 404 }),
  renewRecoveryCodes: own((_person, world) => things.forgetPasskeys(world.home.owner, world).then(() => ({})), {
    status: 409,
  }),
  listUserFactors: own(),
  getUserFactors: about(things.account, administratorOnly, params => ({ params })),
  resetUserFactors: about(things.account, administratorOnly, params => ({ params })),
  getFactorRequirement: own(),
  putFactorRequirement: own(() => ({ json: { roles: [], graceDays: 14 } })),
  changePassword: own(() => ({ json: { oldPassword: testPassword, newPassword: `${testPassword}!` } }), {
    spoils: true,
  }),
  changeEmail: own(newAddress, { spoils: true }),
  // No provider is configured, and no call has the header of the app.
  startSignIn: own(() => ({ params: { provider: 'none' }, json: { stay: true } }), { status: 403 }),
  signInCallback: own(() => ({ params: { provider: 'none' } }), { status: 404 }),
  connectProvider: own(() => ({ params: { provider: 'none' } }), { status: 403 }),
  startProviderStepUp: own(() => ({ json: {} }), { status: 403 }),
  finishProviderStepUp: own(() => ({ json: { code: aSecret, codeVerifier: aSecret } }), { status: 400 }),
  removeConnection: own(() => ({ params: { id: '1' } }), { status: 404 }),
  startLoopbackSignIn: own(
    () => ({ params: { provider: 'none' }, json: { port: 40_000, codeChallenge: aSecret, state: aSecret } }),
    { status: 404 },
  ),
  continueSignIn: own(() => ({ query: { request: aSecret } }), { status: 400 }),
  exchangeSignInCode: own(() => ({ json: { code: aSecret, codeVerifier: aSecret } }), { status: 400 }),
  startDeviceSignIn: own(() => ({ params: { provider: 'none' } }), { status: 404 }),
  pollDeviceSignIn: own(() => ({ json: { deviceCode: aSecret } }), { status: 400 }),
  findDeviceSignIn: own(() => ({ json: { userCode: 'BCDF-GHJK' } }), { status: 403 }),
  approveDeviceSignIn: own(() => ({ json: { userCode: 'BCDF-GHJK' } }), { status: 403 }),
  useSignInLink: own(() => ({ json: { code: aSecret } }), { status: 403 }),
  createInvitation: own(() => ({ json: {} })),
  listInvitations: own(),
  revokeInvitation: about(things.invitation, administratorOnly, ({ id }) => ({ params: { id } })),
  readInvitation: about(things.invitation, everybody, ({ invitation }) => ({ json: { invitation } })),
  requestInvitedMailCode: about(
    things.invitation,
    everybody,
    ({ invitation }, world) => ({ json: { invitation, email: toAddress(world.newName()) } }),
    { writes: true },
  ),
  acceptInvitation: about(things.invitation, sentToEverybody, ({ invitation }, world) => {
    const username = world.newName();
    return { json: { invitation, username, password: testPassword, email: toAddress(username), code: '000000' } };
  }),
  listUsers: own(),
  createUser: own((_person, world) => {
    const username = world.newName();
    return { json: { username, email: toAddress(username), password: testPassword } };
  }),
  deleteUser: about(things.account, administratorOnly, params => ({ params, query: { files: 'keep' } })),
  updateUserRole: about(things.account, administratorOnly, params => ({ params, json: { role: 'monitor' } })),
  updateUserStatus: about(things.account, administratorOnly, params => ({ params, json: { status: 'SUSPENDED' } })),
  getUserQuota: about(things.account, administratorOnly, params => ({ params })),
  setUserQuota: about(things.account, administratorOnly, params => ({
    params,
    json: { maxBytes: 1, maxFiles: null },
  })),
  endUserSessions: about(things.account, administratorOnly, params => ({ params })),
};

const newToken = { name: 'ci', scopes: ['file:read'] };

const apiTokens: Readonly<Record<string, Entry>> = {
  createApiToken: own(() => ({ json: newToken })),
  getApiToken: about(things.token, ownerOnly, ({ id }) => ({ params: { id } })),
  revokeApiToken: about(things.token, ownerOnly, ({ id }) => ({ params: { id } })),
  listTokensOfUser: about(things.account, administratorOnly, params => ({ params })),
  createServiceToken: about(things.account, { administrator: 'told' }, params => ({ params, json: newToken })),
  revokeTokenOfUser: about(things.token, administratorOnly, ({ id, accountId }) => ({
    params: { id: accountId, tokenId: id },
  })),
  createTrustRule: about(things.account, { administrator: 'told' }, params => ({ params, json: things.newTrustRule })),
  listTrustRules: about(things.serviceAccount, administratorOnly, params => ({ params })),
  deleteTrustRule: about(things.trustRule, administratorOnly, params => ({ params })),
  exchangeIdentity: own(() => ({ json: { account: `U${'x'.repeat(22)}`, subjectToken: 'none' } }), { status: 401 }),
  createServiceAccount: own((_person, world) => ({ json: { username: world.newName() } })),
};

const files: Readonly<Record<string, Entry | readonly Entry[]>> = {
  listFiles: own(),
  listFolders: own(),
  listFolderFiles: own(() => ({ query: { path: '' } })),
  createFolder: own(() => ({ json: { path: 'new' } })),
  deleteFolder: about(things.folder, ownerOnly, ({ path }) => ({ query: { path, recursive: 'true' } })),
  move: [
    about(things.file, ownerOnly, ({ hash }) => ({ json: { fileHash: [hash], path: 'moved' } })),
    about(things.folder, ownerOnly, ({ path }) => ({ json: { from: path, path: 'renamed' } })),
  ],
  listPathHistory: about(things.file, ownerOnly, ({ hash }) => ({ params: { hash } })),
  downloadFolder: about(things.folder, ownerOnly, ({ path }) => ({ query: { path } })),
  downloadFiles: about(things.file, ownerOnly, ({ hash }) => ({ json: { fileHash: [hash] } })),
  sealFolder: about(things.folder, ownerOnly, ({ path }) => ({ json: { path } })),
  listTrash: own(),
  moveToTrash: about(things.file, ownerOnly, ({ hash }) => ({ json: { fileHash: [hash] } })),
  restoreFromTrash: about(things.trashedFile, ownerOnly, ({ hash }) => ({ json: { fileHash: [hash] } })),
  emptyTrash: own(() => ({ json: {} })),
  searchFiles: own(() => ({ query: { keyword: 'private' } })),
  getFile: about(things.file, ownerOnly, ({ hash }) => ({ params: { hash } })),
  downloadFile: about(things.file, ownerOnly, ({ hash }) => ({ params: { hash } })),
  downloadMany: about(things.file, ownerOnly, ({ hash }) => ({ json: { fileHashes: [hash] } })),
  putThumbnails: about(things.file, ownerOnly, ({ hash }) => ({
    json: { thumbnails: [{ fileHash: hash, image: tinyPng }] },
  })),
  readThumbnails: about(things.picturedFile, ownerOnly, ({ hash }) => ({ json: { fileHashes: [hash] } })),
  createStream: about(things.film, ownerOnly, ({ hash }) => ({ params: { hash } })),
  readStream: about(things.playedFilm, everybody, params => ({ params })),
  deleteFile: about(things.file, ownerOnly, ({ hash }) => ({ params: { hash } })),
  downloadMetadata: about(things.file, ownerOnly, ({ hash }) => ({ params: { fileHash: hash } })),
  listVersions: about(things.file, ownerAndAdministrator, ({ id }) => ({ params: { id } })),
  continueVersion: about(things.file, { owner: 'done', administrator: 'told' }, ({ id }) => ({ params: { id } })),
  restoreVersion: about(things.file, { ...ownerOnly, owner: 'told' }, ({ id }) => ({ params: { id } })),
  exportProof: about(things.provenFile, ownerAndAdministrator, params => ({ params })),
  exportProofs: about(things.provenFile, ownerAndAdministrator, ({ id }) => ({ json: { ids: [id] } })),
  exportEvidence: about(things.provenFile, ownerAndAdministrator, params => ({ params })),
  exportManyEvidence: about(things.provenFile, ownerAndAdministrator, ({ id }) => ({ json: { ids: [id] } })),
  getFileOts: about(things.provenFile, { owner: 'told', administrator: 'told' }, params => ({ params })), // no calendars
  getProofStatus: about(things.provenFile, ownerAndAdministrator, params => ({ params })),
  revokeProof: about(things.provenFile, ownerAndAdministrator, params => ({ params, json: { reason: 'why not' } })),
  getPublicProofStatus: about(things.proof, everybody, ({ proofId }) => ({ params: { proofId } })),
  listIssuerKeys: own(),
  getIssuerKey: about(things.proof, everybody, ({ keyId, keyVersion }) => ({ params: { keyId, keyVersion } })),
  listAllFiles: own(() => ({ query: { keyword: 'private' } })),
  getAnyFile: about(things.file, administratorOnly, ({ hash }) => ({ params: { hash } })),
  changeFileStatus: about(things.file, administratorOnly, ({ hash }) => ({ params: { hash }, json: { status: 2 } })),
  forceDeleteFile: about(things.file, administratorOnly, ({ hash }) => ({ params: { hash } })),
  uploadAvatar: own(aPicture),
  uploadImage: own(aPicture),
  downloadImage: about(things.picture, wholeTenant, params => ({ params })),
};

const uploads: Readonly<Record<string, Entry>> = {
  uploadFile: own(() => ({ form: toForm('file', uploadBytes, {}, {}, 'own.bin') })),
  uploadMany: own(() => ({ form: toBulkForm([{ bytes: uploadBytes }]) })),
  startUpload: own(() => ({ json: toPlan(uploadBytes) })),
  createUploadSession: own(() => ({ json: toPlan(uploadBytes) })),
  startDirectUpload: own(() => ({ json: { ...toPlan(uploadBytes), parts: toParts(uploadBytes, 4096) } })),
  uploadChunk: about(things.proxiedUpload, ownerOnly, ({ clientId }) => ({ form: things.chunkForm(clientId) })),
  uploadPart: about(things.proxiedUpload, ownerOnly, ({ clientId }) => ({
    params: { clientId, index: '0' },
    bytes: cut(uploadBytes, 4096, 0),
  })),
  checkUpload: about(things.proxiedUpload, ownerOnly, query => ({ query })),
  uploadProgress: about(things.proxiedUpload, ownerOnly, query => ({ query })),
  pauseUpload: about(things.proxiedUpload, ownerOnly, json => ({ json })),
  resumeUpload: about(things.pausedUpload, ownerOnly, json => ({ json })),
  cancelUpload: about(things.proxiedUpload, ownerOnly, json => ({ json })),
  completeUpload: about(things.proxiedUpload, ownerOnly, json => ({ json })),
  completeUploadSession: about(things.proxiedUpload, ownerOnly, params => ({ params })),
  completeDirectUpload: about(things.directUpload, ownerOnly, params => ({ params, json: { parts: [] } })),
  abortDirectUpload: about(things.directUpload, ownerOnly, params => ({ params })),
  getSignedObject: about(things.readableAddress, everybody, query => ({ query })),
  putSignedObject: about(things.signedAddress, everybody, query => ({ query, bytes: uploadBytes })),
};

/** A monitor reads the monitored figures and changes nothing. */
const whoCanAct = { stranger: 'done', friend: 'done', owner: 'done', administrator: 'done' } as const;

const friends: Readonly<Record<string, Entry>> = {
  sendFriendRequest: about(things.somebody, whoCanAct, ({ externalId }) => ({ json: { addresseeId: externalId } })),
  listReceivedRequests: own(),
  listSentRequests: own(),
  acceptFriendRequest: about(things.receivedRequest, ownerOnly, ({ id }) => ({ params: { id } })),
  rejectFriendRequest: about(things.receivedRequest, ownerOnly, ({ id }) => ({ params: { id } })),
  cancelFriendRequest: about(things.sentRequest, ownerOnly, ({ id }) => ({ params: { id } })),
  listFriends: own(),
  unfriend: about(things.friendship, ownerOnly, ({ externalId }) => ({ params: { id: externalId } })),
  updateRemark: about(things.friendship, ownerOnly, ({ externalId }) => ({
    params: { id: externalId },
    json: { remark: 'from school' },
  })),
  searchUsers: own(() => ({ query: { keyword: 'somebody' } })),
};

const friendShares: Readonly<Record<string, Entry>> = {
  shareWithFriend: about(things.friendship, ownerOnly, ({ externalId, hash }) => ({
    json: { friendId: externalId, fileHashes: [hash] },
  })),
  listReceivedShares: own(),
  listSentShares: own(),
  getFriendShare: about(things.friendShare, ownerAndFriend, ({ id }) => ({ params: { id } })),
  readFriendShare: about(things.friendShare, { friend: 'done', owner: 'told' }, ({ id }) => ({ params: { id } })),
  cancelFriendShare: about(things.friendShare, { owner: 'done', friend: 'told' }, ({ id }) => ({ params: { id } })),
  downloadFriendFile: about(things.friendShare, { friend: 'done', owner: 'told' }, params => ({ params })),
  friendDownloadMetadata: about(things.friendShare, { friend: 'done', owner: 'told' }, params => ({ params })),
  saveFriendFiles: about(things.friendShare, { friend: 'done', owner: 'told' }, ({ id }) => ({ params: { id } })),
};

const messages: Readonly<Record<string, Entry>> = {
  sendMessage: about(things.friendship, ownerOnly, ({ externalId }) => ({
    json: { receiverId: externalId, content: 'hello', contentType: 'text' },
  })),
  getMessage: about(things.message, ownerAndFriend, ({ id }) => ({ params: { id } })),
  listConversations: own(),
  getConversation: about(things.message, ownerAndFriend, ({ conversationId: id }) => ({ params: { id } })),
  listMessages: about(things.message, ownerAndFriend, ({ conversationId: id }) => ({ params: { id } })),
  readConversation: about(things.message, ownerAndFriend, ({ conversationId: id }) => ({ params: { id } })),
  deleteConversation: about(things.message, ownerAndFriend, ({ conversationId: id }) => ({ params: { id } })),
};

const byCode = ({ code }: { code: string }) => ({ params: { code } });
const byFile = (params: { code: string; fileHash: string }) => ({ params });
/** An anonymous caller learns that an object exists that needs a login. */
const tenantOrLogin: Knows = { ...wholeTenant, anonymous: 'told', 'revoked token': 'told' };
const sentToAll: Knows = Object.fromEntries(Object.keys(everybody).map(who => [who, 'told']));

const shares: Readonly<Record<string, Entry | readonly Entry[]>> = {
  createShare: about(things.file, ownerOnly, ({ hash }) => ({
    json: { fileHash: [hash], expireMinutes: 60, shareType: 0 },
  })),
  getShareInfo: [
    about(things.publicShare, everybody, byCode),
    about(things.privateShare, everybody, byCode), // its properties; its files only to callers that may open it
    about(things.lockedShare, everybody, byCode),
  ],
  openShare: [
    about(things.publicShare, everybody, byCode),
    about(things.privateShare, tenantOrLogin, byCode),
    about(things.lockedShare, sentToAll, byCode),
  ],
  accessShare: [
    about(things.publicShare, everybody, byCode),
    about(things.privateShare, tenantOrLogin, byCode),
    about(things.lockedShare, sentToAll, byCode),
  ],
  downloadSharedFile: [
    about(things.publicShare, everybody, byFile),
    about(things.privateShare, tenantOrLogin, byFile),
    about(things.lockedShare, sentToAll, byFile),
  ],
  sharedDownloadMetadata: [
    about(things.publicShare, everybody, byFile),
    about(things.privateShare, tenantOrLogin, byFile),
    about(things.lockedShare, sentToAll, byFile),
  ],
  saveSharedFiles: about(
    things.privateShare,
    { stranger: 'done', friend: 'done', administrator: 'done', owner: 'told' },
    byCode,
  ),
  getSharePage: about(things.publicShare, everybody, byCode),
  enterSharePage: about(things.publicShare, everybody, params => ({ ...byCode(params), fields: { password: '' } })),
  downloadFromSharePage: about(things.publicShare, everybody, byFile),
  getThumbnailOnSharePage: about(things.picturedShare, everybody, byFile),
  downloadAllFromSharePage: about(things.publicShare, everybody, byCode),
  downloadProofFromSharePage: about(things.publicShare, sentToAll, byFile), // its batch is still to come
  downloadEvidenceFromSharePage: about(things.provenShare, everybody, byFile),
  listShares: own(),
  updateShare: about(things.publicShare, ownerOnly, params => ({ ...byCode(params), json: { expireMinutes: 30 } })),
  revokeShare: about(things.publicShare, ownerOnly, byCode),
  listShareLogs: about(things.publicShare, ownerOnly, byCode),
  getShareStats: about(things.publicShare, ownerOnly, byCode),
  listAllShares: own(),
  cancelAnyShare: about(things.publicShare, administratorOnly, byCode),
  listAnyShareLogs: about(things.publicShare, administratorOnly, byCode),
  getAnyShareStats: about(things.publicShare, administratorOnly, byCode),
};

/** Senders are authenticated by the token of the entered link, which no caller has here. */
const ofNoSender = (more: object = {}) =>
  about(things.dropLink, sentToAll, ({ code }) => ({ params: { code, id: '1', index: '0' }, ...more }));

const dropLinks: Readonly<Record<string, Entry>> = {
  createDropLink: own(() => ({ json: { title: 'Papers' } })),
  listDropLinks: own(),
  getDropLink: about(things.dropLink, ownerOnly, ({ id }) => ({ params: { id } })),
  updateDropLink: about(things.dropLink, ownerOnly, ({ id }) => ({ params: { id }, json: { closed: true } })),
  deleteDropLink: about(things.dropLink, ownerOnly, ({ id }) => ({ params: { id } })),
  listDropArrivals: about(things.dropLink, ownerOnly, ({ id }) => ({ params: { id } })),
  getDropInfo: about(things.dropLink, everybody, byCode),
  getDropPage: about(things.dropLink, everybody, byCode),
  beginDrop: about(things.dropLink, everybody, ({ code }) => ({ params: { code }, json: {} })),
  startDropFile: ofNoSender({ json: { key: 'k', fileName: 'a.txt', fileSize: 10 } }),
  putDropPart: ofNoSender({ bytes: uploadBytes }),
  completeDropFile: ofNoSender(),
  cancelDropFile: ofNoSender(),
  listSentFiles: ofNoSender(),
  getDropReceipt: ofNoSender(),
  getDropProof: ofNoSender(),
};

const events: Readonly<Record<string, Entry | readonly Entry[]>> = {
  connectEvents: own(),
  watchSystemMonitor: own(),
  disconnectEvents: [own(), about(things.stream, knowsNothing, query => ({ query }))],
};

const tickets: Readonly<Record<string, Entry>> = {
  createTicket: own(() => ({ json: { title: 'Own', content: 'question' } })),
  listTickets: own(),
  listAllTickets: own(),
  getTicket: about(things.ticket, ownerAndAdministrator, ({ id }) => ({ params: { id } })),
  replyToTicket: about(things.ticket, ownerAndAdministrator, ({ id }) => ({
    params: { id },
    json: { content: 'Well.' },
  })),
  updateTicketStatus: about(things.ticket, { owner: 'done', administrator: 'told' }, ({ id }) => ({
    params: { id },
    json: { status: 4 },
  })),
  updateAnyTicketStatus: about(things.ticket, administratorOnly, ({ id }) => ({ params: { id }, json: { status: 1 } })),
  assignTicket: about(things.ticket, administratorOnly, async ({ id }, { home }) => ({
    params: { id },
    json: { assigneeId: (await home.administrator.call(me)).externalId },
  })),
};

const announcements: Readonly<Record<string, Entry | readonly Entry[]>> = {
  listAnnouncements: own(),
  getAnnouncement: [
    about(things.publishedAnnouncement, wholeTenant, ({ id }) => ({ params: { id } })),
    about(things.draft, knowsNothing, ({ id }) => ({ params: { id } })),
  ],
  readAnnouncement: [
    about(things.publishedAnnouncement, wholeTenant, ({ id }) => ({ params: { id } })),
    about(things.draft, knowsNothing, ({ id }) => ({ params: { id } })),
  ],
  listManagedAnnouncements: own(),
  createAnnouncement: own(() => ({ json: announcementText })),
  getManagedAnnouncement: about(things.draft, administratorOnly, ({ id }) => ({ params: { id } })),
  updateAnnouncement: about(things.draft, administratorOnly, ({ id }) => ({ params: { id }, json: announcementText })),
  publishAnnouncement: about(things.openDraft, administratorOnly, ({ id }) => ({ params: { id } })),
  deleteAnnouncement: about(things.draft, administratorOnly, ({ id }) => ({ params: { id } })),
};

const ofRun = ({ runId }: { runId: string }) => ({ params: { runId } });

/** A caller without permission is rejected before the object is looked up. */
async function withPolicy(person: Person) {
  await things.makeRoomForRun(person).catch(() => {});
  return {};
}

const keys: Readonly<Record<string, Entry>> = {
  putCryptoPolicy: own(async person => {
    const { policyVersion } = await person.call(getCryptoPolicy).catch(() => ({ policyVersion: 0 }));
    return { json: { ...things.cryptoChoices, expectedVersion: policyVersion } };
  }),
  getKeyRotationPolicy: own(withPolicy),
  acknowledgeKeyRetirement: own(withPolicy, { status: 409 }),
  putKeyRotationPolicy: own(() => ({ json: things.rotationPolicy })),
  startKeyRotation: own(async (person, world) => {
    await withPolicy(person);
    return { json: { mode: 'DRY_RUN', requestId: world.newName() } };
  }),
  listKeyRotations: own(),
  getKeyRotation: about(things.keyRotation, administratorOnly, ofRun),
  listKeyRotationItems: about(things.keyRotation, administratorOnly, ofRun),
  pauseKeyRotation: about(things.keyRotation, administratorOnly, ofRun),
  resumeKeyRotation: about(things.keyRotation, { administrator: 'told' }, ofRun),
  cancelKeyRotation: about(things.keyRotation, administratorOnly, ofRun),
  retryKeyRotation: about(things.keyRotation, { administrator: 'told' }, ofRun),
  issueRetirementCertificate: about(things.keyRotation, { administrator: 'told' }, ofRun),
  exportRotationItems: about(things.keyRotation, { administrator: 'told' }, ofRun),
};

const ofBackfill = ({ runId, itemId }: { runId: string; itemId: string }) => ({ params: { runId, itemId } });

const backfill: Readonly<Record<string, Entry>> = {
  startBackfill: own(async (_person, world) => {
    await things.endBackfills(world);
    return { json: { mode: 'SCAN' } };
  }),
  listBackfills: own(),
  getBackfill: about(things.backfill, administratorOnly, ofBackfill),
  listBackfillItems: about(things.backfill, administratorOnly, ofBackfill),
  pauseBackfill: about(things.backfill, administratorOnly, ofBackfill),
  resumeBackfill: about(things.backfill, { administrator: 'told' }, ofBackfill),
  retryBackfillItem: about(things.backfill, { administrator: 'told' }, ofBackfill),
};

const ofAlert = ({ id }: { id: string }) => ({ params: { id } });

const integrity: Readonly<Record<string, Entry>> = {
  listIntegrityAlerts: own(),
  getIntegrityScrub: own(),
  checkIntegrity: own(() => ({ json: { level: 'LIGHTWEIGHT' } })),
  getIntegrityAlert: about(things.integrityAlert, administratorOnly, ofAlert),
  acknowledgeIntegrityAlert: about(things.integrityAlert, administratorOnly, ofAlert),
  resolveIntegrityAlert: about(things.integrityAlert, administratorOnly, ({ id }) => ({ params: { id }, json: {} })),
  repairIntegrityAlert: about(things.integrityAlert, administratorOnly, ofAlert),
  repairChunk: about(things.integrityAlert, { administrator: 'told' }, ({ id }) => ({
    params: { id, index: '0' },
    bytes: uploadBytes,
  })),
};

const ofCensus = ({ censusId }: { censusId: string }) => ({ params: { censusId } });

const sweep: Readonly<Record<string, Entry>> = {
  getSweepStatus: own(),
  takeCensus: own(),
  getCensus: about(things.census, administratorOnly, ofCensus),
  listCandidates: about(things.census, administratorOnly, ofCensus),
  listUnknownHolds: about(things.census, administratorOnly, ofCensus),
  markObject: own(() => ({ json: { storagePath: 'tenant-1/x', cipherHash: `sha256:${'0'.repeat(64)}` } }), {
    status: 403,
  }),
  listMarks: own(),
};

const audit: Readonly<Record<string, Entry>> = {
  listAuditLogs: own(),
  listHighFrequency: own(),
  listAuditErrors: own(),
  getTimeDistribution: own(),
  listAuditBackups: own(),
  searchAuditLogs: own(() => ({ json: { size: 5 } })),
  listSensitiveOperations: own(() => ({ json: { size: 5 } })),
  getAuditLog: about(things.auditRow, { administrator: 'done', monitor: 'done' }, params => ({ params })),
  exportAuditLogs: own(() => ({ json: { module: 'auth' } })),
  putAuditConfig: own(() => ({ json: { configKey: 'FAILED_LOGIN_THRESHOLD', configValue: 6 } })),
  backUpAuditLogs: own(() => ({ json: { retentionDays: 1 } })),
  downloadAuditBackup: own(() => ({ params: { id: things.noId } }), { status: 404 }),
};

const jobs: Readonly<Record<string, Entry>> = {
  listDeadJobs: own(),
  getDeadJob: about(things.deadJob, { administrator: 'done', monitor: 'done' }, params => ({ params })),
  reviveDeadJob: about(things.deadJob, administratorOnly, params => ({ params })),
  dropDeadJob: about(things.deadJob, administratorOnly, params => ({ params })),
};

const system: Readonly<Record<string, Entry>> = {
  getChainRoot: about(things.chainRoot, everybody, params => ({ params })),
  getTlogProof: about(things.proof, everybody, ({ proofId }) => ({ params: { proofId } })),
  getTimeStamp: about(things.proof, sentToAll, ({ proofId }) => ({ params: { proofId } })), // no time stamps in this world
  addWitnessCheckpoint: own(() => ({}), { status: 400 }),
  getWitnessKey: own(() => ({}), { status: 404 }),
  getLedgerPostQuantumKey: own(() => ({}), { status: 404 }),
  getLedgerTile: own(() => ({ params: { path: '0/000.p/1' } })),
  getVerifierPage: own(() => ({ query: { ask: 'issuer' } })),
  getSiteAsset: own(() => ({ params: { name: 'site.css' } })),
  getAppFile: own(async (_person, world) => ({ params: { name: await findAppFile(world) } })),
};

/** This world has no installation administrator: every caller is rejected. */
const tenants: Readonly<Record<string, Entry>> = {
  setMaintenance: own(() => ({ json: { isOn: false } })),
  listTenants: own(),
  createTenant: own(() => ({ json: { name: 'mine' } })),
  updateTenantStatus: own(() => ({ params: { id: '2' }, json: { status: 'SUSPENDED' } })),
  deleteTenant: own(() => ({ params: { id: '2' }, query: { name: 'elsewhere' } })),
};

export const entries: Readonly<Record<string, Entry | readonly Entry[]>> = {
  ...accounts,
  ...apiTokens,
  ...files,
  ...uploads,
  ...friends,
  ...friendShares,
  ...messages,
  ...shares,
  ...dropLinks,
  ...events,
  ...tickets,
  ...announcements,
  ...keys,
  ...backfill,
  ...integrity,
  ...sweep,
  ...audit,
  ...jobs,
  ...tenants,
  ...system,
};
