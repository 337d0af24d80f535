// The key that opens and closes the tray: apart from the tray, which is loaded after the first rows.
export const trayEvent = 'recordproof:tray';

export const toggleTray = (): void => void dispatchEvent(new Event(trayEvent));
