import type { DownloadSettings } from '@portico/contract/scheduler/instructions'
import { workbookType } from '@portico/contract/workbook/workbook-parts'
import { foldName } from '@portico/domain/names'

// Names of a report's files, and media types by extension.

type Named = Pick<DownloadSettings, 'fileName' | 'delimiter'>

/** Extension of a file with this delimiter, ignoring compression. */
function plainEnding({ delimiter }: Pick<Named, 'delimiter'>): '.csv' | '.txt' | '.xlsx' {
  if (delimiter === 'xlsx') return '.xlsx'
  return delimiter === 'comma' ? '.csv' : '.txt'
}

/** Several files are sent as one archive. */
export const isZipped = ({ zipped, multipleFiles }: Pick<DownloadSettings, 'zipped' | 'multipleFiles'>): boolean =>
  zipped || multipleFiles

/** Extension of the file that users get. */
export const endingOf = (download: DownloadSettings): string => (isZipped(download) ? '.zip' : plainEnding(download))

export const fileOfReport = (download: Named): string => `${download.fileName}${plainEnding(download)}`

/** Returns a function that names files after the titles of their cells, each name unique. */
export function fileOfCell(download: Named): (title: string) => string {
  const taken = new Set<string>()
  return (title) => {
    const safe = title.replaceAll(/[^\p{L}\p{N} _.-]/gu, '_').slice(0, 80)
    let name = `${download.fileName}-${safe}`
    for (let number = 2; taken.has(foldName(name)); number++) name = `${download.fileName}-${safe}-${number}`
    taken.add(foldName(name))
    return `${name}${plainEnding(download)}`
  }
}

/** Returns the media type of a file by its name. */
export function typeOfFile(name: string): string {
  if (name.endsWith('.zip')) return 'application/zip'
  return name.endsWith('.xlsx') ? workbookType : 'text/plain; charset=utf-8'
}
