// Configuration of the first administrator and of registration.
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { Secret } from '../platform/secret.ts';
import { type Read, together } from './groups.ts';
import type { RawConfig } from './read.ts';
import { settings } from './settings.ts';

export function toFirstAdmin(raw: RawConfig, read: Read) {
  if (!together(raw, 'the first administrator', 'adminUsername', 'adminEmail', 'adminPassword')) return undefined;
  return {
    username: read('adminUsername') ?? '',
    email: read('adminEmail') ?? '',
    password: new Secret(read('adminPassword') ?? ''),
  };
}

export function toRegistration(read: Read) {
  const mode = read('registration');
  const domains = read('registrationDomains').map(domain => domain.toLowerCase());
  const { registration, registrationDomains } = settings;
  if (mode === 'domains' && domains.length === 0)
    throw new ConfigError(`${registration.key} is "domains", but ${registrationDomains.key} names none.`);
  if (mode !== 'domains' && domains.length > 0)
    throw new ConfigError(`${registrationDomains.key} is set, but ${registration.key} is "${mode}", not "domains".`);
  return { mode, domains };
}
