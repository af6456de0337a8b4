import { AppError } from '#platform/app-error.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import type { LinkGrant } from '#platform/storage.ts'
import { type Claim, createHoldings } from '#platform/waits/holdings.ts'
import { partyOf } from './link-party.ts'

/** Maximum numbers of concurrent downloads in a process. */
export type DownloadLimits = { ofFile: number; ofPerson: number; ofNetwork: number; inAll: number }

export const downloadLimits: DownloadLimits = {
  // Programs fetch a file in up to 16 parts at once. Several readers of an email may open its link at the same time.
  ofFile: 20,
  ofPerson: 40,
  ofNetwork: 60,
  // Each uses an open file and a connection; a process allows 2,000.
  inAll: 500,
}

const retrySeconds = 30

export type OpenDownloads = {
  /**
   * Counts a download until the returned function is called: for its file, the creator of the link, and the requesting
   * network.
   * @throws too_many_requests, unavailable
   */
  begin: (download: { key: string; grant: LinkGrant | undefined }, address: string) => () => void
}

export function openDownloads({ ofFile, ofPerson, ofNetwork, inAll }: DownloadLimits = downloadLimits): OpenDownloads {
  const open = createHoldings()
  return {
    begin: (download, address) =>
      open.take([
        { party: `file ${download.key}`, most: ofFile, refusal: tooMany },
        { party: `by ${partyOf(download)}`, most: ofPerson, refusal: tooMany },
        { party: `network ${limitedNetwork(address)}`, most: ofNetwork, refusal: tooMany },
        { party: 'all', most: inAll, refusal: () => new AppError('unavailable') },
      ] satisfies Claim[]),
  }
}

const tooMany = (): AppError =>
  new AppError(
    'too_many_requests',
    undefined,
    'Too many downloads are in progress. Try again when one of them has ended.',
    {
      retryAfter: retrySeconds,
    },
  )
