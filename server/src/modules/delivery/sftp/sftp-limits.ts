import type { SFTPWrapper } from 'ssh2'
import { DeliveryFailed } from '../delivery-failed.ts'

/** The server let a limit of time pass. Another connection to it would only take more. */
export class TooSlow extends DeliveryFailed {}

type Limits = {
  /** Takes the server's responses to requests for progress. */
  watch: (sftp: SFTPWrapper) => void
  end: () => void
}

/**
 * Calls `stop` when a connection makes no progress for a minute, or takes longer in all than its time.
 * Only responses to requests are progress: a server that keeps a connection alive and does not serve would otherwise hold it
 * for as long as it likes.
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

/** How the connection passes on what the server sends for a channel; missing in the types. */
type Receiver = { push: (packet: Buffer | null) => unknown }

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return `the upload was not finished after ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
}
