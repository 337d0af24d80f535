// Reload of the settings: takes over what a running server can. Invalid settings are logged and the old values stay.
import type { SettingsInForce } from '../config/config.ts';
import { takeOver } from '../config/reload.ts';
import type { Platform } from '../platform/server.ts';
import { toErrorText } from '../platform/telemetry/error-text.ts';

type Dependencies = Pick<Platform, 'log' | 'mail'>;

/** Never rejects. Concurrent calls run in turn; resolves with the effective settings. */
export function openReload(
  { log, mail }: Dependencies,
  first: SettingsInForce,
  read: () => Promise<SettingsInForce>,
): () => Promise<void> {
  let inForce = first;
  let running: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      const next = await read();
      if (JSON.stringify(toMailParts(next)) !== JSON.stringify(toMailParts(inForce)))
        await mail.replace(next.config.mail);
      const { values, applied, needsRestart } = takeOver(inForce, next);
      inForce = { config: inForce.config, values };
      log.level = inForce.config.log.level;
      const restart = needsRestart.length > 0 ? `; a restart is needed for ${needsRestart.join(', ')}` : '';
      const message =
        applied.length > 0 ? `settings reloaded: ${applied.join(', ')}` : 'no setting to reload has changed';
      log.info({ applied, needsRestart }, `${message}${restart}`);
      if (needsRestart.length > 0) log.warn({ needsRestart }, 'changed settings take effect only after a restart');
    } catch (error) {
      log.error(
        { error: toErrorText(error) },
        `failed to reload the settings; the previous ones stay in effect: ${toErrorText(error)}`,
      );
    }
  };
  return () => {
    running = running.then(reload);
    return running;
  };
}

const toMailParts = ({ values }: SettingsInForce) => [values.get('smtpUrl'), values.get('mailFrom')];
