// Audit settings of a tenant: what counts as sensitive or unusual. The settings, their valid values, which operations
// are sensitive under them, and how they are read and changed.
import {
  type AuditConfig,
  type AuditConfigKey,
  auditConfigKeys,
  type putAuditConfig,
} from '@recordproof/shared/api/audit-figures.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { listConfigs, writeConfig } from './alert-queries.ts';
import type { Kind } from './figures.ts';

type Setting = {
  readonly fallback: string;
  readonly description: string;
  readonly mustBe: string;
  readonly isValid: (text: string) => boolean;
};

const wholeNumber = (fallback: number, description: string, [least, most]: readonly [number, number]): Setting => ({
  fallback: String(fallback),
  description,
  mustBe: `a whole number from ${least} to ${most}`,
  isValid: text => /^[1-9][0-9]{0,8}$/.test(text) && Number(text) >= least && Number(text) <= most,
});

export const settings: Readonly<Record<AuditConfigKey, Setting>> = {
  AUDIT_ENABLED: {
    fallback: 'true',
    description: 'whether the log is watched for what is unusual; rows are written in any case',
    mustBe: 'true or false',
    isValid: text => text === 'true' || text === 'false',
  },
  LOG_RETENTION_DAYS: wholeNumber(180, 'how old rows are that a backup takes, in days', [1, 36_500]),
  SENSITIVE_MODULES: {
    fallback: 'accounts,audit,crypto-policy,key-rotation',
    description: 'modules of which every operation counts as sensitive, with commas between',
    mustBe: 'names of modules with commas between',
    isValid: text => /^([a-z0-9-]{1,64}(,[a-z0-9-]{1,64}){0,63})?$/.test(text),
  },
  HIGH_FREQ_THRESHOLD: wholeNumber(100, 'operations of one user from one address within five minutes', [2, 1_000_000]),
  FAILED_LOGIN_THRESHOLD: wholeNumber(5, 'failed sign-ins of one user name within an hour', [1, 1_000_000]),
  ERROR_RATE_THRESHOLD: wholeNumber(10, 'rejected operations within an hour, in percent', [1, 100]),
};

/** Normalizes lists: no spaces around the commas. */
function parseSetting(key: AuditConfigKey, value: string | number | boolean): string {
  const { isValid, mustBe } = settings[key];
  const text = String(value)
    .split(',')
    .map(part => part.trim())
    .join(',');
  if (!isValid(text)) throw new ApiError('PARAM_IS_INVALID', `${key} must be ${mustBe}`);
  return text;
}

export type AuditSettings = {
  readonly isWatched: boolean;
  readonly retentionDays: number;
  readonly sensitiveModules: readonly string[];
  readonly highFrequency: number;
  readonly failedLogins: number;
  readonly errorRatePercent: number;
};

function toSettings(stored: ReadonlyMap<string, string>): AuditSettings {
  const read = (key: AuditConfigKey): string => stored.get(key) ?? settings[key].fallback;
  return {
    isWatched: read('AUDIT_ENABLED') === 'true',
    retentionDays: Number(read('LOG_RETENTION_DAYS')),
    sensitiveModules: read('SENSITIVE_MODULES').split(','),
    highFrequency: Number(read('HIGH_FREQ_THRESHOLD')),
    failedLogins: Number(read('FAILED_LOGIN_THRESHOLD')),
    errorRatePercent: Number(read('ERROR_RATE_THRESHOLD')),
  };
}

/** Operations that delete, revoke or grant access, in any module. */
const sensitiveOperations = new Set([
  'change-email',
  'change-password',
  'change-status',
  'delete',
  'force-cancel',
  'force-delete',
  'integrity-damaged',
  'invalid',
  'reset-password',
  'revoked',
  'set-password',
]);

export const isSensitive = ({ sensitiveModules }: AuditSettings, { module, operationType }: Kind): boolean =>
  sensitiveModules.includes(module) || sensitiveOperations.has(operationType);

export async function readSettings(db: Db, tenantId: Key): Promise<AuditSettings> {
  const rows = await listConfigs(db, tenantId);
  return toSettings(new Map(rows.map(row => [row.config_key, row.config_value])));
}

export async function readConfigs(db: Db, tenantId: Key): Promise<AuditConfig[]> {
  const rows = new Map((await listConfigs(db, tenantId)).map(row => [row.config_key, row]));
  return auditConfigKeys.map(configKey => ({
    configKey,
    configValue: rows.get(configKey)?.config_value ?? settings[configKey].fallback,
    description: settings[configKey].description,
    updatedAt: toIsoOrNull(rows.get(configKey)?.updated_at ?? null),
  }));
}

export async function putConfig(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call,
  { configKey, configValue }: BodyOf<typeof putAuditConfig>,
): Promise<AuditConfig[]> {
  const { tenantId } = call.actor;
  const value = parseSetting(configKey, configValue);
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    const configs = await readConfigs(tx, tenantId);
    const before = configs.find(config => config.configKey === configKey);
    if (before?.updatedAt !== null && before?.configValue === value) return configs;
    await writeConfig(tx, tenantId, configKey, value, now);
    await recordAudit(tx, call, now, 'audit.put-config', `${configKey} of the audit log set`, {
      configKey,
      from: before?.configValue,
      to: value,
    });
    return readConfigs(tx, tenantId);
  });
}
