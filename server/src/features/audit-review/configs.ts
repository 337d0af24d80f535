// Reading and changing a tenant's settings for sensitive and unusual operations.
import { type AuditConfig, auditConfigKeys, type putAuditConfig } from '@recordproof/shared/api/audit-figures.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { Call } from '../../platform/call.ts';
import { toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { listConfigs, writeConfig } from './alert-queries.ts';
import { type AuditSettings, parseSetting, settings, toSettings } from './settings.ts';

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
