import { Progress, Text } from '@mantine/core'

type ProgressLineProps = {
  /** 0 to 1, or null while the total is unknown. */
  value: number | null
  /** Label for screen readers. */
  label: string
  /** Shown below: '12,000 of 90,000 · 1,200,000 records/hour'. */
  text?: string
}

/** The progress of a piece of work. */
export function ProgressLine({ value, label, text }: ProgressLineProps) {
  const percent = value === null ? 100 : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div>
      <Progress.Root size={5}>
        <Progress.Section
          value={percent}
          animated={value === null}
          striped={value === null}
          aria-label={label}
          {...(value === null && { 'aria-valuenow': undefined, 'aria-valuetext': 'working' })}
        />
      </Progress.Root>
      {text && (
        <Text size="xs" c="dimmed" mt={3}>
          {text}
        </Text>
      )}
    </div>
  )
}
