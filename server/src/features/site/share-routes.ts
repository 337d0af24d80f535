// What a browser asks for behind the link of a share. The grant travels in a cookie that only this page gets; refusals
// become pages, because a person reads them.
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { downloadFromSharePage, enterSharePage, getSharePage } from '@recordproof/shared/api/share-pages.ts';
import { toIso } from '../../platform/clock.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import { originOf } from '../audit/index.ts';
import { toSharedFile } from '../copies/index.ts';
import {
  downloadShared,
  type Grant,
  getShareInfo,
  grantLifetimeMs,
  lookAtShare,
  openShare,
  type SharePorts,
  type Visitor,
} from '../shares/index.ts';
import type { ShareView } from './share-page.ts';

export type SharePagePorts = SharePorts & {
  readonly version: string;
  /** Where users reach this server; asked at a request, when the port is known. */
  readonly baseUrl: () => string;
};

const cookieName = 'recordproof_share';

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

/** No login reaches a page, so it never has an account. */
const visitorOf = ({ ip, headers: sent }: Pick<Request, 'ip' | 'headers'>): Visitor => ({
  actor: null,
  ip,
  userAgent: sent['user-agent'] ?? null,
  grant: new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]{1,200})`).exec(sent.cookie ?? '')?.[1],
});

export const shareRoutes = (ports: SharePagePorts): Route[] => [
  plainRoute(getSharePage, r => orRefusal(ports, r.params.code, () => showShare(ports, r.params.code, r))),
  plainRoute(enterSharePage, r =>
    orRefusal(ports, r.params.code, () => enter(ports, r.params.code, visitorOf(r), r.body?.password ?? '')),
  ),
  plainRoute(downloadFromSharePage, r =>
    orRefusal(ports, r.params.code, async () => {
      const wanted = { ...r.params, visitor: visitorOf(r), http: r, origin: originOf(r) };
      const { answer, newGrant } = await downloadShared(ports, wanted);
      if (newGrant === null) return answer;
      return { ...answer, headers: { ...answer.headers, 'set-cookie': toCookie(ports, r.params.code, newGrant) } };
    }),
  ),
];

type Looking = Pick<Request, 'ip' | 'headers' | 'method'>;

async function showShare(ports: SharePagePorts, code: string, request: Looking): Promise<PlainAnswer> {
  const visitor = visitorOf(request);
  const { share, grant, obstacle, files } = await getShareInfo(ports, code, visitor);
  if (obstacle === 'LOGIN') return toAnswer(ports, code, 403, { kind: 'private' });
  if (obstacle === 'PASSWORD') return toAnswer(ports, code, 200, { kind: 'password', problem: null });
  if (grant === null && request.method === 'GET') await lookAtShare(ports, { share, grant }, visitor);
  const expiresAt = toIso(share.expire_at);
  return toAnswer(ports, code, 200, { kind: 'files', files: files.map(toSharedFile), expiresAt });
}

async function enter(ports: SharePagePorts, code: string, visitor: Visitor, password: string): Promise<PlainAnswer> {
  const { share, grant } = await openShare(ports, code, visitor, password);
  return toRedirect(code, { 'set-cookie': toCookie(ports, share.code, grant) });
}

/** So that loading the page again sends no password again. */
const toRedirect = (code: string, more: Record<string, string> = {}): PlainAnswer => ({
  status: 303,
  headers: { ...headers, ...more, location: `/s/${encodeURIComponent(code)}` },
  body: null,
});

const toCookie = ({ baseUrl }: SharePagePorts, code: string, { text }: Grant): string =>
  [
    `${cookieName}=${text}`,
    `Path=/s/${code}`,
    `Max-Age=${grantLifetimeMs / 1000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(baseUrl().startsWith('https:') ? ['Secure'] : []),
  ].join('; ');

async function toAnswer(
  { version, baseUrl }: SharePagePorts,
  code: string,
  status: number,
  view: ShareView,
): Promise<PlainAnswer> {
  const { renderSharePage } = await import('./share-page.ts');
  return { status, headers, body: renderSharePage(view, { code, version, baseUrl: baseUrl() }) };
}

const ends: Readonly<Partial<Record<ErrorKind, { title: string; text: string }>>> = {
  SHARE_NOT_FOUND: {
    title: 'There is no such share',
    text: 'Perhaps the link was cut off on its way: it ends with twelve letters and digits.',
  },
  SHARE_CANCELLED: { title: 'This share was cancelled', text: 'Whoever shared the files has taken them back.' },
  SHARE_EXPIRED: {
    title: 'This share has expired',
    text: 'Its time is over, or it was opened as often as it may be. Ask whoever sent you the link.',
  },
  FILE_NOT_EXIST: { title: 'This file is not there any more', text: 'Whoever shared it has deleted it.' },
};

async function orRefusal(ports: SharePagePorts, code: string, work: () => Promise<PlainAnswer>): Promise<PlainAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return toRefusal(ports, code, error);
  }
}

async function toRefusal(ports: SharePagePorts, code: string, error: ApiError): Promise<PlainAnswer> {
  const { kind, status, message, detail } = error;
  if (detail?.reason === 'PASSWORD_WRONG') {
    const problem = 'That was not the password. Mind capital letters, and try again.';
    return toAnswer(ports, code, status, { kind: 'password', problem });
  }
  if (kind === 'FORBIDDEN' || kind === 'UNAUTHORIZED') return toRedirect(code);
  const words = ends[kind] ?? { title: 'Not now', text: `${message.charAt(0).toUpperCase()}${message.slice(1)}.` };
  const answer = await toAnswer(ports, code, status, { kind: 'refused', ...words });
  if (error.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...headers, 'retry-after': error.retryAfterSeconds } };
}
