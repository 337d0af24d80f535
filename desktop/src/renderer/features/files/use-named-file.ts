import { type File, getFile } from '@recordproof/shared/api/files.ts';
import { useEffect, useRef } from 'react';
import { usePlace } from '../../router.ts';
import { useBridge } from '../../surroundings.ts';

/** Opens the file that the address names, as the palette leads to it. One that is gone is not opened. */
export function useNamedFile(open: (file: File) => void): void {
  const { call } = useBridge();
  const hash = usePlace().query.get('file');
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (hash === null) return;
    const stop = new AbortController();
    call(getFile, { params: { hash }, signal: stop.signal }).then(
      file => !stop.signal.aborted && latest.current(file),
      () => undefined,
    );
    return () => stop.abort();
  }, [hash, call]);
}
