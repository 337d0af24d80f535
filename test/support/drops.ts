// Drop links for tests: created by owners, used by anonymous senders.
import * as api from '@recordproof/shared/api/drop-links.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import {
  type DropFile,
  type DropPorts,
  type DropSender,
  enterDrop,
  openDropSender,
} from '@recordproof/shared/transfer/drop-upload.ts';
import type { Person } from './app.ts';

type Terms = Partial<BodyInput<typeof api.createDropLink>>;

export const createDrop = (person: Person, terms: Terms = {}) =>
  person.call(api.createDropLink, { body: { title: 'Exam papers', ...terms } });

/** An anonymous sender, from an address of its own where the server trusts 127.0.0.1 as a proxy. */
export const dropPorts = (baseUrl: string, code: string, address?: string): DropPorts => ({
  baseUrl,
  code,
  fetch: (url, init) =>
    fetch(url, { ...init, headers: { ...init.headers, ...(address && { 'x-forwarded-for': address }) } }),
});

export type Stranger = DropSender & { readonly token: string };

export async function enter(
  ports: DropPorts,
  body: Parameters<typeof enterDrop>[1] = { fields: {} },
): Promise<Stranger> {
  const token = await enterDrop(ports, body);
  return { ...openDropSender(ports, token), token };
}

export const toDropFile = (bytes: Uint8Array, name = 'answer.pdf', more: Partial<DropFile> = {}): DropFile => ({
  key: name.replace(/[^A-Za-z0-9]/g, '-'),
  name,
  type: 'application/pdf',
  blob: new Blob([Uint8Array.from(bytes)]),
  ...more,
});
