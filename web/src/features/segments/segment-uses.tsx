import type { SegmentUse } from '@portico/contract/segments'
import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'
import { formatCount } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { kindLabels } from './segment-texts.ts'
import css from './segments.module.css'

/** The most items of a kind that are named. */
const mostNamed = 20

/** The stored items that name a segment, by kind. */
export function SegmentUses({ uses }: { uses: readonly SegmentUse[] }) {
  if (uses.length === 0) return <Text size="sm">Nothing stored uses this segment.</Text>
  const kinds = [...Map.groupBy(uses, ({ kind }) => kind)]
  const items = kinds.map(([kind, all]) => {
    const named = all.filter(({ name }) => name !== null).slice(0, mostNamed)
    const more = all.length - named.length
    const value = (
      <ul className={css['uses']}>
        {named.map((use) => (
          <li key={use.id}>
            <Anchor component={Link} size="sm" to={pathOf(use, use.name ?? '')}>
              {use.name}
            </Anchor>
          </li>
        ))}
        {more > 0 && <li>{named.length > 0 ? `${more} more` : formatCount(more, ...kindLabels[kind])}</li>}
      </ul>
    )
    const [one, many] = kindLabels[kind]
    const term = all.length === 1 ? one : many
    return { term: term.charAt(0).toUpperCase() + term.slice(1), value, isWide: true }
  })
  return <DefinitionList columns={2} items={items} />
}

function pathOf({ kind, id }: SegmentUse, name: string): string {
  switch (kind) {
    case 'segment':
      return paths.segment(id)
    case 'dashboard':
      return paths.ownDashboards({ dashboard: id })
    case 'export':
      return paths.exports({ name })
    case 'export schedule':
      return paths.exports({ schedules: '1' })
    case 'report schedule':
      return paths.ownDashboards({ schedules: '1' })
  }
}
