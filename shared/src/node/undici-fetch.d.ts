// The part of undici needed for calls: the whole package includes mocks, caches and WebSockets, and takes longer to
// load. Its types of requests and responses differ slightly from those of the web, its values do not.
declare module 'undici/index-fetch.js' {
  export { EnvHttpProxyAgent } from 'undici';

  type Init = RequestInit & { readonly dispatcher: import('undici').Dispatcher };
  export const fetch: (url: string, init: Init) => Promise<Response>;
}
