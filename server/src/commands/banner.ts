// Start banner of a server: its address, what is turned off and how to change that, next steps.
import type { Config } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { version } from '../version.ts';

type Ready = { readonly url: string; readonly setupCode: string | null };

/** The banner as JSON, for `serve --json`. */
export const toReady = (config: Config, { url, setupCode }: Ready) => ({
  version,
  profile: config.profile,
  url: config.http.publicUrl ?? url,
  listensAt: url,
  dataFolder: config.dataFolder,
  proofs: config.attestation.enabled,
  setupCode,
});

export function toBanner(config: Config, { url, setupCode }: Ready): string {
  const { publicUrl } = config.http;
  const address = publicUrl ?? url;
  const lines: readonly (readonly [string, string])[] = [
    ['address', address],
    ...(publicUrl === undefined ? [] : [['listens at', url] as const]),
    ['data folder', config.dataFolder],
    ['proofs', toProofsText(config)],
    ['API docs', `${address}/docs`],
    ...toSetupLines(address, setupCode),
  ];
  const text = lines.map(([name, value]) => `  ${name.padEnd(12)} ${value}\n`).join('');
  return `\nRecordProof ${version} is ready (profile ${config.profile})\n${text}\n`;
}

function toProofsText({ attestation, profile }: Config): string {
  const { minBatchSize, maxWaitSeconds, enabled } = attestation;
  const { attestationEnabled: setting } = settings;
  if (!enabled) return `OFF (profile ${profile}); on with ${setting.env}=true, or --profile laptop`;
  return minBatchSize === 1
    ? 'on, within seconds of an upload'
    : `on, for ${minBatchSize} files or after ${maxWaitSeconds} s`;
}

const toSetupLines = (address: string, code: string | null): [string, string][] =>
  code === null
    ? []
    : [
        ['set-up code', code],
        ['first admin', `open ${address}/setup#${code}`],
        ['', `or run: recordproof setup --server ${address}`],
      ];
