import os from 'node:os'

/** One line of the table: a measurement and its reference. */
export type Measurement = {
  work: string
  milliseconds: number
  reference?: { name: string; milliseconds: number }
  /** Maximum ratio to the reference, plus an allowance in milliseconds. */
  target?: { ratio: number; plus?: number }
  /** The interquartile range of the ratios to the reference, one ratio per round. */
  noise?: readonly [number, number]
  /** Time of another engine for the same work, for comparison. */
  comparison?: { name: string; milliseconds: number }
  peakBytes?: number
  /** Memory that `peakBytes` must stay below. */
  peakLimitBytes?: number
}

const seconds = (milliseconds: number) =>
  milliseconds < 1000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1000).toFixed(2)} s`

const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

function memoryOf({ peakBytes, peakLimitBytes }: Measurement): string {
  if (peakBytes === undefined) return ''
  if (peakLimitBytes === undefined) return megabytes(peakBytes)
  return `${megabytes(peakBytes)} (< ${megabytes(peakLimitBytes)} ${peakBytes < peakLimitBytes ? 'met' : 'MISSED'})`
}

export function printReport(rows: number, measurements: readonly Measurement[]): void {
  const lines = measurements.map((measurement) => {
    const { work, milliseconds, reference, target, noise, comparison } = measurement
    const ratio = reference ? milliseconds / reference.milliseconds : null
    const allowed = reference && target ? reference.milliseconds * target.ratio + (target.plus ?? 0) : null
    const aim = target ? `≤ ${target.ratio}×${target.plus ? ` + ${target.plus} ms` : ''}` : ''
    return [
      work,
      seconds(milliseconds),
      reference ? `${reference.name} ${seconds(reference.milliseconds)}` : '',
      ratio === null
        ? ''
        : `${ratio.toFixed(2)}×${noise ? ` (${noise.map((part) => part.toFixed(2)).join('–')})` : ''}`,
      allowed === null ? '' : `${aim} ${milliseconds <= allowed ? 'met' : 'MISSED'}`,
      comparison ? `${comparison.name} ${seconds(comparison.milliseconds)}` : '',
      memoryOf(measurement),
    ]
  })
  const [cpu] = os.cpus()
  console.log(
    `\n${rows.toLocaleString('en-US')} rows, ${os.cpus().length} × ${cpu?.model ?? 'cpu'}, ${Math.round(os.totalmem() / 2 ** 30)} GB, Node ${process.version}, ${os.type()} ${os.release()}\n`,
  )
  console.log('| work | time | reference | ratio | target | comparison | peak memory |')
  console.log('|---|---|---|---|---|---|---|')
  for (const line of lines) console.log(`| ${line.join(' | ')} |`)
  console.log()
}
