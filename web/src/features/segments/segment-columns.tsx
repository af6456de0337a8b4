import type { SegmentEntry } from '@portico/contract/segments'
import { foldName } from '@portico/domain/names'
import { ActionIcon, Anchor, Group, Tooltip } from '@mantine/core'
import { Link } from 'react-router'
import IconEdit from '#icons/IconEdit'
import IconListSearch from '#icons/IconListSearch'
import IconStar from '#icons/IconStar'
import IconStarFilled from '#icons/IconStarFilled'
import IconTrash from '#icons/IconTrash'
import { QueryInWords, searchPath } from '#domain/results'
import { formatDate, formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { TrendLine } from '#ui/chart/trend-line.tsx'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import type { Column } from '#ui/table/data-table.tsx'
import { latestCount, signed, trendText, usesText, weekChange } from './segment-texts.ts'
import { useSegmentCount } from './segments-queries.ts'
import css from './segments.module.css'

/** The value that a column is sorted by. */
export const sortValues: Record<string, (segment: SegmentEntry) => string | number> = {
  name: ({ name }) => foldName(name),
  people: ({ nights }) => latestCount(nights) ?? -1,
  change: ({ nights }) => weekChange(nights) ?? Number.NEGATIVE_INFINITY,
  owner: ({ creator }) => foldName(creator ?? ''),
  uses: ({ uses }) => uses.reduce((sum, { items }) => sum + items, 0),
  lastUsedAt: ({ lastUsedAt }) => lastUsedAt ?? '',
}

/** The actions on a segment; null for users who may not take them. */
export type SegmentActs = {
  onEdit: ((segment: SegmentEntry) => void) | null
  onDelete: ((segment: SegmentEntry) => void) | null
  onMark: (segment: SegmentEntry) => void
  canSearch: boolean
}

/** `hasCounts`: whether the user may see the nightly counts. */
export const segmentColumns = (acts: SegmentActs, hasCounts: boolean): Column<SegmentEntry>[] => [
  { key: 'favourite', title: 'Favourite', width: 76, render: (segment) => <Star {...{ segment, ...acts }} /> },
  {
    key: 'name',
    title: 'Name',
    isRowHeader: true,
    isSortable: true,
    render: ({ _id, name }) => (
      <Anchor component={Link} size="sm" to={paths.segment(_id)}>
        {name}
      </Anchor>
    ),
  },
  {
    key: 'people',
    title: 'People Now',
    align: 'right',
    comesEarly: true,
    isSortable: hasCounts,
    render: (segment) => <People segment={segment} />,
  },
  ...(hasCounts ? trendColumns : []),
  {
    key: 'filter',
    title: 'Filter',
    render: ({ aggregateQuery }) => (
      <div className={css['filter']}>
        {aggregateQuery === null ? 'A long filter.' : <QueryInWords query={aggregateQuery} />}
      </div>
    ),
  },
  { key: 'uses', title: 'Used By', isSortable: true, render: ({ uses }) => usesText(uses) || '–' },
  {
    key: 'lastUsedAt',
    title: 'Last Used',
    isSortable: true,
    render: ({ lastUsedAt }) => (lastUsedAt === null ? '–' : formatDate(lastUsedAt)),
  },
  { key: 'owner', title: 'Created By', isSortable: true, render: ({ creator }) => creator ?? 'The parent account' },
  {
    key: 'shared',
    title: 'In Sub-Accounts',
    render: ({ showInSubaccounts }) => (showInSubaccounts ? 'Shown' : 'Hidden'),
  },
  actionsOf(acts),
]

const trendColumns: Column<SegmentEntry>[] = [
  {
    key: 'change',
    title: 'Since Last Week',
    align: 'right',
    isSortable: true,
    render: ({ nights }) => {
      const change = weekChange(nights)
      return change === null ? '–' : signed(change)
    },
  },
  {
    key: 'trend',
    title: 'Trend',
    render: ({ nights }) =>
      latestCount(nights) === undefined ? (
        '–'
      ) : (
        <TrendLine
          values={(nights ?? []).map(({ contacts }) => contacts)}
          label={trendText(nights ?? [])}
          width={96}
          height={22}
        />
      ),
  },
]

function Star({ segment, onMark }: Pick<SegmentActs, 'onMark'> & { segment: SegmentEntry }) {
  const { name, isFavourite } = segment
  return (
    <RowButton
      label={isFavourite ? `Remove ${name} from favourites` : `Add ${name} to favourites`}
      hint={isFavourite ? 'Remove from favourites' : 'Add to favourites'}
      Icon={isFavourite ? IconStarFilled : IconStar}
      onClick={() => onMark(segment)}
    />
  )
}

/** The present count; the last nightly one until it is there. */
function People({ segment: { _id, nights } }: { segment: SegmentEntry }) {
  const count = useSegmentCount(_id)
  const known = latestCount(nights)
  if (count.data !== undefined) return formatNumber(count.data)
  if (known === undefined) return count.isLoading ? '…' : '–'
  return (
    <span className={css['earlier']} title="Counted last night">
      {formatNumber(known)}
    </span>
  )
}

const actionsOf = ({ onEdit, onDelete, canSearch }: SegmentActs): Column<SegmentEntry> => ({
  key: 'actions',
  title: 'Actions',
  isPinned: true,
  width: 110,
  render: (segment) => {
    const { _id, name, isOwn } = segment
    const reason = isOwn ? null : 'Owned by the parent account.'
    return (
      <Group gap={4} wrap="nowrap">
        {canSearch && (
          <Tooltip label="Search & Analyze">
            <ActionIcon
              component={Link}
              size={24}
              aria-label={`Show the people of ${name}`}
              to={searchPath([{ kind: 'saved', id: _id }])}
            >
              <IconListSearch size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        {onEdit && (
          <RowButton
            label={`Edit ${name}`}
            hint="Edit"
            Icon={IconEdit}
            reason={reason}
            onClick={() => onEdit(segment)}
          />
        )}
        {onDelete && (
          <RowButton
            label={`Delete ${name}`}
            hint="Delete"
            Icon={IconTrash}
            color="red"
            reason={reason}
            onClick={() => onDelete(segment)}
          />
        )}
      </Group>
    )
  },
})
