// What database and object store are called in messages: without user and password.
import type { Config } from './config.ts';

export function nameDatabase({ db }: Pick<Config, 'db'>): string {
  if (db.kind === 'sqlite') return db.path;
  const url = URL.parse(db.url.reveal());
  return url === null ? 'PostgreSQL' : `postgres://${url.host}${url.pathname}`;
}

export const nameStore = ({ objects }: Pick<Config, 'objects'>): string =>
  objects.kind === 'disk'
    ? `the folder ${objects.folder}`
    : `the bucket "${objects.bucket}" at ${objects.endpoints.join(', ')}`;
