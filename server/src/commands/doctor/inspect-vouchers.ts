// Checks of proofs and of witnesses, peers, authorities and calendars: whether they listen at their addresses, and when
// the authorities' roots expire. Nothing is sent to them.
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Finding, ok, warning } from './finding.ts';
import { isListening } from './inspect-services.ts';

const about = 'vouchers';
const dayMs = 86_400_000;
const shortDays = 60;

export const inspectProofs = ({ attestation, profile }: Config): Finding[] => [
  attestation.enabled
    ? ok('proofs', 'stored files get proofs')
    : warning(
        'proofs',
        `are off with this configuration (profile ${profile}): stored files get none`,
        'Name the profile of your server with --profile if it is another one; else set attestation.production.enabled to true (ATTESTATION_PRODUCTION_ENABLED=true).',
      ),
];

export async function inspectVouchers({ ledger }: Config): Promise<Finding[]> {
  const { witnesses, peers, authorities, calendars } = ledger;
  const urls = [...witnesses, ...peers, ...authorities, ...calendars].map(({ url }) => url);
  if (urls.length === 0)
    return [ok(about, 'no third party vouches for the ledger: its times rest on this server alone')];
  const silent = (await Promise.all(urls.map(async url => ((await isListening(toEndpoint(url))) ? [] : [url])))).flat();
  const counts = `${witnesses.length + peers.length} witnesses, ${authorities.length} authorities, ${calendars.length} calendars`;
  return [
    ...silent.map(url =>
      warning(about, `no service listens at ${url}`, 'Ask its operator, or remove it from the settings.'),
    ),
    ...authorities.flatMap(inspectRoots),
    ...(silent.length === 0 ? [ok(about, `${counts}: all of them listen`)] : []),
  ];
}

function toEndpoint(url: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Of several roots, the last to expire decides. */
function inspectRoots({ name, roots }: Config['ledger']['authorities'][number]): Finding[] {
  const days = Math.floor((Math.max(...roots.map(({ notAfter }) => notAfter)) - systemClock.now()) / dayMs);
  if (days >= shortDays) return [];
  const found = days < 0 ? `the roots of ${name} have expired` : `the roots of ${name} expire in ${days} days`;
  return [warning(about, found, 'Get the new roots of the authority, or name another one beside it.')];
}
