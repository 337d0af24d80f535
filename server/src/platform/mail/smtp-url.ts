// SMTP_URL: smtps:// is TLS from the start, smtp:// is STARTTLS. `?tls=required` insists on STARTTLS, `?tls=off`
// does without; by default it is used where the server offers it, and insisted on where a password would cross a network.

export type SmtpEndpoint = {
  readonly host: string;
  readonly port: number;
  readonly tls: 'implicit' | 'required' | 'offered' | 'off';
  readonly login: { readonly user: string; readonly pass: string } | undefined;
};

const refuse = (why: string): never => {
  throw new RangeError(`SMTP_URL ${why}`);
};

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return refuse('holds a user name or password that is not percent-encoded');
  }
};

/** The sentences of its errors never repeat the URL, which holds a password. */
export const parseSmtpUrl = (text: string): SmtpEndpoint => {
  const url = URL.canParse(text) ? new URL(text) : refuse('must look like smtp://user:password@host:587');
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') return refuse('must begin with smtp:// or smtps://');
  if (url.hostname === '') return refuse('names no host');
  if (url.pathname !== '' && url.pathname !== '/') return refuse('must not have a path');
  const implicit = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const login = url.username === '' ? undefined : { user: decode(url.username), pass: decode(url.password) };
  const port = url.port === '' ? (implicit ? 465 : 587) : Number(url.port);
  return { host, port, login, tls: implicit ? implicitTls(url) : startTls(url, host, login !== undefined) };
};

const implicitTls = (url: URL): 'implicit' =>
  url.search === '' ? 'implicit' : refuse('with smtps:// takes no options');

const startTls = (url: URL, host: string, hasLogin: boolean): 'required' | 'offered' | 'off' => {
  const { tls, ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0) return refuse('knows only the option "tls"');
  if (tls === 'required' || tls === 'off') return tls;
  if (tls !== undefined) return refuse('takes tls=required or tls=off');
  const isLocal = host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
  return hasLogin && !isLocal ? 'required' : 'offered';
};
