// Routes of the share page. The grant is stored in a cookie limited to this page; errors are rendered as pages.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/share-pages.ts';
import { lastPart } from '@recordproof/shared/file-path.ts';
import { once } from '@recordproof/shared/once.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { displayName, findAccount } from '../accounts/index.ts';
import { toSharedFile } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { listWithThumbnail } from '../previews/index.ts';
import { exportProof, listKeysOfFiles, toIssuerKey } from '../proofs/index.ts';
import {
  downloadAll,
  downloadShared,
  enterShare,
  type Grant,
  getSharedFile,
  getShareInfo,
  grantLifetimeMs,
  openShare,
  readSharedThumbnail,
  type SharedDownload,
  type Visitor,
  viewShare,
} from '../shares/index.ts';
import { openEvidence } from '../vouchers/index.ts';
import { toVisitAnswer, visitHeaders } from './layout.ts';
import type { ShareView, ShownFile } from './share-page.ts';

type Behind = Pick<Server, 'baseUrl'>;

const cookieName = 'recordproof_share';

type Visit = Pick<Request, 'ip' | 'method' | 'url' | 'startedAt' | 'headers'>;

/** Pages get no token, so the visitor never has an account. */
const visitorOf = ({ ip, method, url, startedAt, headers }: Visit): Visitor => ({
  ip,
  method,
  url,
  startedAt,
  actor: null,
  userAgent: headers['user-agent'] ?? null,
  grant: new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]{1,200})`).exec(headers.cookie ?? '')?.[1],
});

type Coming = { readonly params: { readonly code: string } } & Pick<Request, 'headers'>;
type PageInput = { readonly code: string; readonly language: Language };

const toPageInput = ({ params, headers }: Coming): PageInput => ({
  code: params.code,
  language: chooseLanguage(headers['accept-language']),
});

/** Responds with a page. */
type Show = (input: PageInput, status: number, view: ShareView) => Promise<PlainAnswer>;

function openShow({ baseUrl }: Behind): Show {
  const script = once(async () => (await import('./pages.ts')).makeShareScript());
  return async (input, status, view) => {
    const { renderSharePage } = await import('./share-page.ts');
    const info = { ...input, version, baseUrl: baseUrl(), script: await script() };
    return toVisitAnswer(renderSharePage(view, info), status);
  };
}

export function shareRoutes(server: Server): Route[] {
  const show = openShow(server);
  const evidence = openEvidence(server);
  /** Errors are shown as pages. */
  const onPage =
    <R extends Coming>(answer: (request: R) => Promise<PlainAnswer>) =>
    async (request: R): Promise<PlainAnswer> => {
      try {
        return await answer(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        return toRejection(show, toPageInput(request), error);
      }
    };
  const findFile = async (r: Visit & { readonly params: { readonly code: string; readonly fileHash: string } }) => {
    const { share } = await enterShare(server, visitorOf(r), r.params.code);
    return getSharedFile(server.database.db, share, r.params.fileHash);
  };
  return [
    plainRoute(
      api.getSharePage,
      onPage(r => showShare(server, show, visitorOf(r), { ...toPageInput(r), hasEvidence: evidence.isOffered })),
    ),
    plainRoute(
      api.enterSharePage,
      onPage(async r => {
        const { code } = r.params;
        const { grant } = await openShare(server, visitorOf(r), { code, password: r.body.password });
        return toRedirect(code, { 'set-cookie': toCookie(server, code, grant) });
      }),
    ),
    plainRoute(
      api.downloadFromSharePage,
      onPage(async r =>
        withCookie(server, r.params.code, await downloadShared(server, visitorOf(r), { ...r.params, http: r })),
      ),
    ),
    plainRoute(api.getThumbnailOnSharePage, async r =>
      toImageAnswer(await readSharedThumbnail(server, visitorOf(r), r.params)),
    ),
    plainRoute(
      api.downloadAllFromSharePage,
      onPage(async r => {
        const download = await downloadAll(server, visitorOf(r), { ...r.params, ...r.query, http: r });
        return withCookie(server, r.params.code, download);
      }),
    ),
    plainRoute(
      api.downloadProofFromSharePage,
      onPage(async r => exportProof(server, { file: await findFile(r) })),
    ),
    plainRoute(
      api.downloadEvidenceFromSharePage,
      onPage(async r => evidence.export(await findFile(r), r)),
    ),
  ];
}

function withCookie(behind: Behind, code: string, { answer, newGrant }: SharedDownload): PlainAnswer {
  if (newGrant === null) return answer;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': toCookie(behind, code, newGrant) } };
}

/** The page is made anew at each visit; a thumbnail stays with the browser for a while. */
function toImageAnswer(image: Awaited<ReturnType<typeof readSharedThumbnail>>): PlainAnswer {
  if (image === null) throw new ApiError('NOT_FOUND', 'this file has no thumbnail');
  return {
    headers: {
      'content-type': image.type,
      'content-length': image.bytes.length,
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, max-age=600',
      ...isolationHeaders,
    },
    body: image.bytes,
  };
}

const toShown = (file: FileRow, withThumbnail: ReadonlySet<Key>): ShownFile => ({
  ...toSharedFile(file),
  hasProof: file.proof_status === 'ISSUED',
  hasThumbnail: withThumbnail.has(file.id),
});

type Shown = PageInput & { readonly hasEvidence: boolean };

async function showShare(server: Server, show: Show, visitor: Visitor, input: Shown): Promise<PlainAnswer> {
  const { share, grant, obstacle, files } = await getShareInfo(server, visitor, input.code);
  if (obstacle === 'LOGIN') return show(input, 403, { kind: 'private' });
  if (obstacle === 'PASSWORD') return show(input, 200, { kind: 'password', wrong: null });
  if (grant === null && visitor.method === 'GET') await viewShare(server, visitor, { share, grant });
  const owner = await findAccount(server.database.db, share.tenant_id, share.owner_id);
  const sender = owner === null ? '' : displayName(owner);
  const expiresAt = toIso(share.expire_at);
  const proven = files.filter(file => file.proof_status === 'ISSUED').map(file => file.id);
  const keys = await listKeysOfFiles(server.database.db, share.tenant_id, proven);
  const all = { tenantId: share.tenant_id, fileIds: files.map(({ id }) => id) };
  const withThumbnail = await listWithThumbnail(server.database.db, all);
  return show(input, 200, {
    kind: 'files',
    sender,
    files: files.map(file => toShown(file, withThumbnail)),
    expiresAt,
    hasEvidence: input.hasEvidence,
    folder: share.folder === null ? null : { name: lastPart(share.folder), includesLater: share.folder_since !== null },
    keys: keys.map(toIssuerKey),
    title: share.title,
    message: share.message,
  });
}

/** Prevents a reload from submitting the password again. */
const toRedirect = (code: string, more: Record<string, string> = {}): PlainAnswer => ({
  status: 303,
  headers: { ...visitHeaders, ...more, location: `/s/${encodeURIComponent(code)}` },
  body: null,
});

const toCookie = ({ baseUrl }: Behind, code: string, { text }: Grant): string =>
  [
    `${cookieName}=${text}`,
    `Path=/s/${code}`,
    `Max-Age=${grantLifetimeMs / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl().startsWith('https:') ? ['Secure'] : []),
  ].join('; ');

type Ending = 'missing' | 'cancelled' | 'expired' | 'usedUp' | 'fileGone';

const ends: Readonly<Partial<Record<ErrorKind, Ending>>> = {
  SHARE_NOT_FOUND: 'missing',
  SHARE_CANCELLED: 'cancelled',
  SHARE_EXPIRED: 'expired',
  FILE_NOT_EXIST: 'fileGone',
};

async function toRejection(show: Show, input: PageInput, error: ApiError): Promise<PlainAnswer> {
  const { kind, status, message, detail } = error;
  if (detail?.reason === 'PASSWORD_WRONG') {
    const triesLeft = typeof detail.triesLeft === 'number' ? detail.triesLeft : null;
    return show(input, status, { kind: 'password', wrong: { triesLeft } });
  }
  if (kind === 'FORBIDDEN' || kind === 'UNAUTHORIZED') return toRedirect(input.code);
  const texts = shareWords[input.language];
  const end = detail?.reason === 'USED_UP' ? 'usedUp' : ends[kind];
  const words =
    end === undefined
      ? { title: texts.notNow, text: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` }
      : { title: texts[`${end}Title`], text: texts[end] };
  const answer = await show(input, status, { kind: 'refused', ...words });
  if (error.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': error.retryAfterSeconds } };
}
