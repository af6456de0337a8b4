import type { SFTPWrapper } from 'ssh2'
import { DeliveryFailed } from '../delivery-failed.ts'

/** The server exceeded a time limit. Another connection to it would only take more time. */
export class TooSlow extends DeliveryFailed {}

type Limits = {
  /** Watches the server's responses to requests for progress. */
  watch: (sftp: SFTPWrapper) => void
  end: () => void
}

/**
 * Calls `stop` when a connection makes no progress for a minute, or exceeds its total time. Only responses to requests
 * are progress: otherwise a server could hold a connection indefinitely by keeping it alive without serving it.
 */
export function limitTime(
  { idleMs, totalMs }: { idleMs: number; totalMs: number },
  stop: (error: TooSlow) => void,
): Limits {
  const idle = setTimeout(() => stop(new TooSlow('The server did not respond in time.')), idleMs)
  const total = setTimeout(() => stop(new TooSlow(`The server was too slow: ${inWords(totalMs)}.`)), totalMs)
  return {
    watch(sftp) {
      idle.refresh()
      const channel = sftp as SFTPWrapper & Receiver
      const receive = channel.push.bind(channel)
      channel.push = (packet) => {
        idle.refresh()
        return receive(packet)
      }
    },
    end() {
      clearTimeout(idle)
      clearTimeout(total)
    },
  }
}

/** The method by which the connection passes on what the server sends for a channel; missing in the types. */
type Receiver = { push: (packet: Buffer | null) => unknown }

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return `the upload was not finished after ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
}
