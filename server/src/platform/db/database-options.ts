// Options of the database connection.
import type { Secret } from '../secret.ts';

export type DatabaseOptions = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: Secret; poolSize: number };

export type Engine = DatabaseOptions['kind'];

/** For messages: without user and password. */
export function nameDatabase(options: DatabaseOptions): string {
  if (options.kind === 'sqlite') return options.path;
  const url = URL.parse(options.url.reveal());
  return url === null ? 'PostgreSQL' : `postgres://${url.host}${url.pathname}`;
}
