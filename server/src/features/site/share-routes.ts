// What a browser asks for behind the link of a share. The grant travels in a cookie that only this page gets; refusals
// become pages, because a person reads them.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import {
  downloadAllFromSharePage,
  downloadEvidenceFromSharePage,
  downloadFromSharePage,
  downloadProofFromSharePage,
  enterSharePage,
  getSharePage,
} from '@recordproof/shared/api/share-pages.ts';
import { once } from '@recordproof/shared/once.ts';
import { shareWords } from '@recordproof/shared/words/share.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import { toIso } from '../../platform/clock.ts';
import { pageHeaders } from '../../platform/http/page-headers.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { displayName, findAccount } from '../accounts/index.ts';
import { toSharedFile } from '../copies/index.ts';
import type { FileRow } from '../files/index.ts';
import { exportProof } from '../proofs/index.ts';
import {
  downloadAll,
  downloadShared,
  enterShare,
  type Grant,
  getSharedFile,
  getShareInfo,
  grantLifetimeMs,
  lookAtShare,
  openShare,
  type SharedDownload,
  type Visitor,
} from '../shares/index.ts';
import { openEvidence } from '../vouchers/index.ts';
import type { ShareView, ShownFile } from './share-page.ts';

type Behind = Pick<Server, 'baseUrl'>;

const cookieName = 'recordproof_share';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  ...pageHeaders,
};

type Visit = Pick<Request, 'ip' | 'method' | 'url' | 'startedAt' | 'headers'>;

/** No login reaches a page, so it never has an account. */
const visitorOf = ({ ip, method, url, startedAt, headers: sent }: Visit): Visitor => ({
  ip,
  method,
  url,
  startedAt,
  actor: null,
  userAgent: sent['user-agent'] ?? null,
  grant: new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]{1,200})`).exec(sent.cookie ?? '')?.[1],
});

type Coming = { readonly params: { readonly code: string } } & Pick<Request, 'headers'>;
type Asked = { readonly code: string; readonly language: Language };

const toAsked = ({ params, headers: sent }: Coming): Asked => ({
  code: params.code,
  language: chooseLanguage(sent['accept-language']),
});

/** Answers with a page. */
type Show = (asked: Asked, status: number, view: ShareView) => Promise<PlainAnswer>;

function openShow({ baseUrl }: Behind): Show {
  const script = once(async () => (await import('./pages.ts')).makeShareScript());
  return async (asked, status, view) => {
    const { renderSharePage } = await import('./share-page.ts');
    const info = { ...asked, version, baseUrl: baseUrl(), script: await script() };
    const { text, policy } = renderSharePage(view, info);
    return { status, headers: { ...headers, 'content-security-policy': policy }, body: text };
  };
}

export function shareRoutes(server: Server): Route[] {
  const show = openShow(server);
  const evidence = openEvidence(server);
  return [
    plainRoute(getSharePage, r =>
      orRefusal(show, toAsked(r), () =>
        showShare(server, show, visitorOf(r), { ...toAsked(r), hasEvidence: evidence.isOffered }),
      ),
    ),
    plainRoute(enterSharePage, r =>
      orRefusal(show, toAsked(r), async () => {
        const { code } = r.params;
        const { grant } = await openShare(server, visitorOf(r), { code, password: r.body.password });
        return toRedirect(code, { 'set-cookie': toCookie(server, code, grant) });
      }),
    ),
    plainRoute(downloadFromSharePage, r =>
      orRefusal(show, toAsked(r), async () =>
        withCookie(server, r.params.code, await downloadShared(server, visitorOf(r), { ...r.params, http: r })),
      ),
    ),
    plainRoute(downloadAllFromSharePage, r =>
      orRefusal(show, toAsked(r), async () =>
        withCookie(server, r.params.code, await downloadAll(server, visitorOf(r), { ...r.params, http: r })),
      ),
    ),
    plainRoute(downloadProofFromSharePage, r =>
      orRefusal(show, toAsked(r), async () => {
        const { share } = await enterShare(server, visitorOf(r), r.params.code);
        return exportProof(server, await getSharedFile(server.database.db, share, r.params.fileHash));
      }),
    ),
    plainRoute(downloadEvidenceFromSharePage, r =>
      orRefusal(show, toAsked(r), async () => {
        const { share } = await enterShare(server, visitorOf(r), r.params.code);
        return evidence.export(await getSharedFile(server.database.db, share, r.params.fileHash), r);
      }),
    ),
  ];
}

function withCookie(behind: Behind, code: string, { answer, newGrant }: SharedDownload): PlainAnswer {
  if (newGrant === null) return answer;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': toCookie(behind, code, newGrant) } };
}

const toShown = (file: FileRow): ShownFile => ({ ...toSharedFile(file), hasProof: file.proof_status === 'ISSUED' });

type Shown = Asked & { readonly hasEvidence: boolean };

async function showShare(server: Server, show: Show, visitor: Visitor, asked: Shown): Promise<PlainAnswer> {
  const { share, grant, obstacle, files } = await getShareInfo(server, visitor, asked.code);
  if (obstacle === 'LOGIN') return show(asked, 403, { kind: 'private' });
  if (obstacle === 'PASSWORD') return show(asked, 200, { kind: 'password', isWrong: false });
  if (grant === null && visitor.method === 'GET') await lookAtShare(server, visitor, { share, grant });
  const owner = await findAccount(server.database.db, share.tenant_id, share.owner_id);
  const sender = owner === null ? '' : displayName(owner);
  const expiresAt = toIso(share.expire_at);
  return show(asked, 200, {
    kind: 'files',
    sender,
    files: files.map(toShown),
    expiresAt,
    hasEvidence: asked.hasEvidence,
  });
}

/** So that loading the page again sends no password again. */
const toRedirect = (code: string, more: Record<string, string> = {}): PlainAnswer => ({
  status: 303,
  headers: { ...headers, ...more, location: `/s/${encodeURIComponent(code)}` },
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

type Ending = 'missing' | 'cancelled' | 'expired' | 'fileGone';

const ends: Readonly<Partial<Record<ErrorKind, Ending>>> = {
  SHARE_NOT_FOUND: 'missing',
  SHARE_CANCELLED: 'cancelled',
  SHARE_EXPIRED: 'expired',
  FILE_NOT_EXIST: 'fileGone',
};

async function orRefusal(show: Show, asked: Asked, work: () => Promise<PlainAnswer>): Promise<PlainAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return toRefusal(show, asked, error);
  }
}

async function toRefusal(show: Show, asked: Asked, error: ApiError): Promise<PlainAnswer> {
  const { kind, status, message, detail } = error;
  if (detail?.reason === 'PASSWORD_WRONG') return show(asked, status, { kind: 'password', isWrong: true });
  if (kind === 'FORBIDDEN' || kind === 'UNAUTHORIZED') return toRedirect(asked.code);
  const say = shareWords[asked.language];
  const end = ends[kind];
  const words =
    end === undefined
      ? { title: say.notNow, text: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` }
      : { title: say[`${end}Title`], text: say[end] };
  const answer = await show(asked, status, { kind: 'refused', ...words });
  if (error.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': error.retryAfterSeconds } };
}
