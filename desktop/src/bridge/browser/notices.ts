// Notifications of the browser, while the page is not focused. The browser asks for permission when a person turns them on;
// the choice belongs to this device.
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { shellWords } from '@recordproof/shared/words/shell.ts';
import { toLanguage } from '@recordproof/shared/words/words.ts';
import type { EventsBridge, NoticesBridge } from '../bridge.ts';
import { type NoticeSettings, noticeKinds, toNotice } from '../notices.ts';
import { openWatched } from '../watched.ts';

const key = 'recordproof:notices';

function read(): NoticeSettings {
  let kept: { readonly isOn?: unknown; readonly silent?: unknown } | null = null;
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    // Unreadable: the defaults.
  }
  const silent = Array.isArray(kept?.silent) ? kept.silent : [];
  return { isOn: kept?.isOn === true, silent: noticeKinds.filter(kind => silent.includes(kind)) };
}

function keep(settings: NoticeSettings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Not stored: in effect until the window closes.
  }
}

const isFocused = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

/** Null where the browser has none, as on an insecure origin. */
export function openNotices(events: EventsBridge): NoticesBridge | null {
  if (!('Notification' in globalThis)) return null;
  const settings = openWatched(read());
  const isDenied = openWatched(Notification.permission === 'denied');
  events.listen(event => {
    if (Notification.permission === 'granted' && !isFocused()) show(event, settings.get());
  });
  return {
    settings,
    isDenied,
    async change(change) {
      if (change.isOn === true) isDenied.set((await Notification.requestPermission()) !== 'granted');
      const next = { ...settings.get(), ...change };
      settings.set(isDenied.get() ? { ...next, isOn: false } : next);
      keep(settings.get());
    },
  };
}

function show(event: ServerEvent, settings: NoticeSettings): void {
  const notice = toNotice(event, shellWords[toLanguage(document.documentElement.lang)], settings);
  if (!notice) return;
  // The tag merges the notices of several windows for one event.
  const shown = new Notification(notice.title, { body: notice.body, ...(event.id !== undefined && { tag: event.id }) });
  shown.onclick = () => {
    focus();
    shown.close();
  };
}
