import type { FastifyRequest } from 'fastify'
import type { Logger } from '#platform/log.ts'

/** Detects forwarded addresses from a proxy that is not trusted: its callers then share one address. */
export type ProxyWatch = { notice: (request: FastifyRequest) => void; wasSeen: () => boolean }

const rememberedMs = 86_400_000

export function createProxyWatch(log: Logger): ProxyWatch {
  let seenAt: number | null = null
  return {
    notice({ headers, ip, socket }) {
      const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined
      if (!isForwarded || ip !== socket.remoteAddress) return
      if (seenAt === null || Date.now() - seenAt > rememberedMs) {
        log.warn({ proxy: ip }, 'forwarded addresses are ignored: add the proxy to TRUSTED_PROXIES')
      }
      seenAt = Date.now()
    },
    wasSeen: () => seenAt !== null && Date.now() - seenAt <= rememberedMs,
  }
}
