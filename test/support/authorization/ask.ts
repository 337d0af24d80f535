// Sends a request of the authorization matrix, and keeps of the answer everything by which two cases could be told
// apart.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import type { Person } from '../app.ts';
import type { Question } from './entry.ts';

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Values that differ from call to call by design. */
const volatile = /^(date|x-trace-id|x-ratelimit-.*|connection|keep-alive)$/;

export type Address = Pick<AnyEndpoint, 'method' | 'path'>;

function toUrl(path: string, { params = {}, query = {} }: Question): string {
  const filled = path
    .replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
    .replace('**', params.path ?? '');
  const search = new URLSearchParams(query);
  return search.size === 0 ? filled : `${filled}?${search}`;
}

const listTexts = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [String(value ?? '')];

/** The reply without what the message repeats of the request, such as an id: of two objects they differ. */
export function withoutInput({ body, headers, ...reply }: Reply, { params, query, json }: Question): Reply {
  if (!headers['content-type']?.includes('json')) return { body, headers, ...reply };
  const { message, ...others } = JSON.parse(body) as { message?: unknown };
  const texts = listTexts([params, query, json]).filter(text => text !== '');
  if (typeof message !== 'string' || texts.length === 0) return { body, headers, ...reply };
  const repeated = texts.sort((one, other) => other.length - one.length).map(text => RegExp.escape(text));
  const shown = message.replace(new RegExp(`(?<!\\w)(${repeated.join('|')})(?!\\w)`, 'g'), '…');
  const { 'content-length': _length, ...kept } = headers;
  return { body: JSON.stringify({ ...others, message: shown }), headers: kept, ...reply };
}

let asked = 0;

/** Each request comes from an address of its own, so that the limits for guessing do not apply. */
function newAddress(): string {
  asked += 1;
  return `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`;
}

function toInit({ json, form, fields, bytes }: Question): RequestInit {
  if (json !== undefined) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
  if (form !== undefined) return { body: form };
  if (fields !== undefined) return { body: new URLSearchParams(fields) };
  if (bytes === undefined) return {};
  return { headers: { 'content-type': 'application/octet-stream' }, body: Uint8Array.from(bytes) };
}

/** An event stream has no end to wait for. */
async function readBody(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

export async function ask(person: Person, { method, path }: Address, question: Question): Promise<Reply> {
  const init = toInit(question);
  const headers = new Headers(init.headers);
  headers.set('x-forwarded-for', newAddress());
  const response = await person.fetch(toUrl(path, question), { method, ...init, headers });
  const kept = [...response.headers].filter(([name]) => !volatile.test(name));
  return { status: response.status, headers: Object.fromEntries(kept), body: await readBody(response) };
}
