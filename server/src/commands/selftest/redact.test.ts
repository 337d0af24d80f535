// Redaction of secrets in selftest reports, plain and percent-encoded.
import { expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { Secret } from '../../platform/secret.ts';
import { redact } from './redact.ts';
import type { Report } from './report.ts';

test('secrets are removed from a report, also one with a percent sign that encodes nothing', () => {
  const config = { url: new Secret('redis://ada:50%25off@host'), key: new Secret('redis://ada:100%sure@host') };
  const check = { name: 'redis', status: 'ok', found: 'sent 50%off, 50%25off and 100%sure', durationMs: 1 } as const;
  const { checks } = redact({ checks: [check] } as unknown as Report, config as unknown as Config);
  expect(checks[0]?.found).toBe('sent (secret), (secret) and (secret)');
});
