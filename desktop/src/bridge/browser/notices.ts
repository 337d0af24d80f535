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
    // Not ours: as if there were none.
  }
  const silent = Array.isArray(kept?.silent) ? kept.silent : [];
  return { isOn: kept?.isOn === true, silent: noticeKinds.filter(kind => silent.includes(kind)) };
}

function keep(settings: NoticeSettings): void {
  try {
    localStorage.setItem(key, JSON.stringify(settings));
  } catch {
    // Then it is so until the window is closed.
  }
}

const isBeforeThem = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

/** Null where the browser has none, as on an address that is not safe. */
export function openNotices(events: EventsBridge): NoticesBridge | null {
  if (!('Notification' in globalThis)) return null;
  const settings = openWatched(read());
  const isRefused = openWatched(Notification.permission === 'denied');
  events.listen(event => {
    if (Notification.permission === 'granted' && !isBeforeThem()) show(event, settings.get());
  });
  return {
    settings,
    isRefused,
    async change(change) {
      if (change.isOn === true) isRefused.set((await Notification.requestPermission()) !== 'granted');
      const next = { ...settings.get(), ...change };
      settings.set(isRefused.get() ? { ...next, isOn: false } : next);
      keep(settings.get());
    },
  };
}

function show(event: ServerEvent, settings: NoticeSettings): void {
  const notice = toNotice(event, shellWords[toLanguage(document.documentElement.lang)], settings);
  if (!notice) return;
  // Of several windows that hear the same, one notice stays.
  const shown = new Notification(notice.title, { body: notice.body, ...(event.id !== undefined && { tag: event.id }) });
  shown.onclick = () => {
    focus();
    shown.close();
  };
}
