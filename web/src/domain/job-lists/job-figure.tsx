import { Progress, Tooltip } from '@mantine/core'
import css from './job-figure.module.css'

type JobFigureProps = {
  /** '260,300', or '260,300 of 500,000' */
  figure: string
  /** Tooltip: names and values, such as the processing time. */
  hints: { term: string; value: string }[]
  /** Present while the job is running. */
  progress?: {
    /** Names the progress bar for screen readers. */
    label: string
    /** 0 to 1, or null while the total is unknown. */
    share: number | null
    /** Below the bar: '52% · 12,300 records/s'. */
    text: string
  } | null
}

/** The amount of a job that is done, with its progress while it runs. */
export function JobFigure({ figure, hints, progress }: JobFigureProps) {
  return (
    <div className={css['root']}>
      <Tooltip
        disabled={hints.length === 0}
        label={hints.map(({ term, value }) => (
          <div key={term} className={css['hint']}>
            <span>{term}</span>
            <b>{value}</b>
          </div>
        ))}
      >
        <span className={css['figure']} data-hint={hints.length > 0 || undefined}>
          {figure}
        </span>
      </Tooltip>
      {progress && (
        <div className={css['progress']}>
          <Progress.Root size={4}>
            <Progress.Section
              value={progress.share === null ? 100 : Math.round(progress.share * 100)}
              animated={progress.share === null}
              striped={progress.share === null}
              aria-label={progress.label}
              {...(progress.share === null && { 'aria-valuenow': undefined, 'aria-valuetext': 'working' })}
            />
          </Progress.Root>
          <span className={css['text']}>{progress.text}</span>
        </div>
      )}
    </div>
  )
}
