import { AppError } from '#platform/app-error.ts'
import type { LinkGrant } from '#platform/storage.ts'
import { partyOf } from './link-party.ts'

/** A browser sends one upload at a time. The limit on connections of a process is many times higher. */
const openAtMost = 5

const retrySeconds = 60

/** The uploads that this process is receiving. */
export type OpenUploads = {
  /**
   * Counts an upload until the returned function is called.
   * @throws link_invalid while the same key is being received; too_many_requests
   */
  begin: (upload: { key: string; grant: LinkGrant | undefined }) => () => void
}

export function openUploads(): OpenUploads {
  const uploaders = new Map<string, string>()
  return {
    begin({ key, grant }) {
      if (uploaders.has(key)) throw new AppError('link_invalid')
      const uploader = partyOf({ key, grant })
      if ([...uploaders.values()].filter((other) => other === uploader).length >= openAtMost) {
        const message = `You have ${openAtMost} uploads in progress. Try again when one of them has ended.`
        throw new AppError('too_many_requests', undefined, message, { retryAfter: retrySeconds })
      }
      uploaders.set(key, uploader)
      return () => void uploaders.delete(key)
    },
  }
}
