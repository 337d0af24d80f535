// The key that toggles the tray: a module of its own, because the tray is loaded after the first rows.
export const trayEvent = 'recordproof:tray';

export const toggleTray = (): void => void dispatchEvent(new Event(trayEvent));
