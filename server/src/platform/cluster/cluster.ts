export type Hit = { count: number; limit: number; remaining: number; resetAtMs: number; allowed: boolean };
export type Cluster = { hit(key: string, limit: number, windowMs: number, nowMs: number): Hit | Promise<Hit> };
export class ClusterUnavailable extends Error {}
