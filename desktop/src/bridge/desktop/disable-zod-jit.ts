// The page's policy lets nobody make code of text, and zod would try to while contracts are made: it comes before them.
import { z } from 'zod';

z.config({ jitless: true });
