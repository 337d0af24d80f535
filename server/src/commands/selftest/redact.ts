// Redaction of every secret of the settings in a report, wherever an error repeated it.
import type { Config } from '../../config/config.ts';
import { Secret } from '../../platform/secret.ts';
import type { Report } from './report.ts';

/** Shorter secrets are parts of ordinary words. */
const shortest = 4;

export function redact(report: Report, config: Config): Report {
  const secrets = listSecrets(config).filter(({ length }) => length >= shortest);
  const clean = (text: string): string =>
    secrets.reduce((so, secret) => so.replaceAll(secret, '(secret)'), text).replaceAll(/\/\/[^\s/@]*@/g, '//(secret)@');
  const checks = report.checks.map(check =>
    check.status === 'failed'
      ? { ...check, found: clean(check.found), remedy: clean(check.remedy) }
      : { ...check, found: clean(check.found) },
  );
  return { ...report, checks };
}

/** Of an address also user and password, both as written and decoded. */
function listSecrets(value: unknown): string[] {
  if (value instanceof Secret) return toParts(value.reveal());
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listSecrets);
}

function toParts(secret: string): string[] {
  const { password = '' } = URL.parse(secret) ?? {};
  return [secret, password, decoded(password)];
}

/** A password may contain a `%` that encodes nothing. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
