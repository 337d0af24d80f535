// SMTP_URL: smtps:// is TLS from the start, smtp:// is STARTTLS. `?tls=required` requires STARTTLS, `?tls=off` disables
// it; by default it is used if the server offers it, and required if a password would cross a network.

export type SmtpEndpoint = {
  readonly host: string;
  readonly port: number;
  readonly tls: 'implicit' | 'required' | 'offered' | 'off';
  readonly login: { readonly user: string; readonly pass: string } | undefined;
};

const reject = (why: string): never => {
  throw new RangeError(`SMTP_URL ${why}`);
};

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return reject('holds a user name or password that is not percent-encoded');
  }
};

/** Errors never repeat the URL, which holds a password. */
export const parseSmtpUrl = (text: string): SmtpEndpoint => {
  const url = URL.canParse(text) ? new URL(text) : reject('must look like smtp://user:password@host:587');
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') return reject('must begin with smtp:// or smtps://');
  if (url.hostname === '') return reject('names no host');
  if (url.pathname !== '' && url.pathname !== '/') return reject('must not have a path');
  const implicit = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const login = url.username === '' ? undefined : { user: decode(url.username), pass: decode(url.password) };
  const port = url.port === '' ? (implicit ? 465 : 587) : Number(url.port);
  return { host, port, login, tls: implicit ? implicitTls(url) : startTls(url, host, login !== undefined) };
};

const implicitTls = (url: URL): 'implicit' =>
  url.search === '' ? 'implicit' : reject('with smtps:// takes no options');

const startTls = (url: URL, host: string, hasLogin: boolean): 'required' | 'offered' | 'off' => {
  const { tls, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0) return reject('knows only the option "tls"');
  if (tls === 'required' || tls === 'off') return tls;
  if (tls !== undefined) return reject('takes tls=required or tls=off');
  const isLocal = host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
  return hasLogin && !isLocal ? 'required' : 'offered';
};
