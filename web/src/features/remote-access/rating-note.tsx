import type { ColumnRating } from '@portico/contract/remote-access'
import { Badge, Text } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import type { useRating } from './remote-access-queries.ts'
import css from './remote-access.module.css'

const colors: Record<ColumnRating['level'], string> = { open: 'red', weak: 'orange', fair: 'yellow', strong: 'green' }

/** How easily strangers guess values of the authentication columns; renders nothing before a column is chosen. */
export function RatingNote({ rating }: { rating: ReturnType<typeof useRating> }) {
  const { data, error, isLoading } = rating
  if (!data && !error && !isLoading) return null
  return (
    <section aria-label="Rating of the authentication" className={css['rating']} aria-busy={isLoading}>
      {data && (
        <Badge color={colors[data.level]} tt="none" fw={600} miw="max-content">
          {data.level}
        </Badge>
      )}
      <Text size="sm" {...(!data && { c: 'dimmed' })}>
        {data?.text ?? (error ? `The columns could not be rated. ${messageOf(error)}` : 'Rating the columns...')}
      </Text>
    </section>
  )
}
