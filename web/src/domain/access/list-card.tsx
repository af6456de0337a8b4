import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import type IconComponent from '#icons/IconShieldLock'
import { messageOf } from '#lib/api/api-error.ts'
import { AlertsDialog } from '#ui/dialog/alerts-dialog.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { SearchBox } from '#ui/table/search-box.tsx'
import { SelectionBar } from '#ui/table/selection-bar.tsx'
import { TableCard } from '#ui/table/table-card.tsx'
import type { Bulk, Noun } from './bulk.ts'
import type { useListState } from './list-state.ts'

type ListCardProps<T> = {
  noun: Noun
  label: string
  Icon: ComponentType<ComponentProps<typeof IconComponent>>
  query: UseQueryResult<T[]>
  list: ReturnType<typeof useListState<T>>
  columns: Column<T>[]
  idOf: (item: T) => string
  nameOf: (item: T) => string
  expansion: (item: T) => ReactNode
  /** Actions on the selected rows; without any, rows cannot be selected. */
  bulkActions?: ReactNode
  bulk: Bulk
}

/** A list of the identity area: search, selected rows and their actions, the table, and the result of an action. */
export function ListCard<T>(props: ListCardProps<T>) {
  const { noun, label, Icon, query, list, columns, idOf, nameOf, expansion, bulkActions, bulk } = props
  const clear = (
    <Button variant="default" onClick={() => list.onSearch('')}>
      {`Show all ${noun.many}`}
    </Button>
  )
  return (
    <>
      <TableCard
        isDense={list.isDense}
        onDenseChange={list.setDense}
        toolbar={
          <SearchBox
            label={`Search ${noun.many}`}
            placeholder={`Search ${noun.many}`}
            value={list.search}
            onSearch={list.onSearch}
          />
        }
      >
        {bulkActions && (
          <SelectionBar count={list.selected.length} onClear={list.clearSelection}>
            {bulkActions}
          </SelectionBar>
        )}
        <DataTable<T>
          label={label}
          columns={columns}
          {...list.table}
          getRecordId={idOf}
          getRecordLabel={nameOf}
          expansion={expansion}
          allowsManyOpen={list.allowsManyOpen}
          selection={bulkActions ? list.selection : undefined}
          isDense={list.isDense}
          empty={
            list.search ? (
              <EmptyState icon={<Icon size={22} />} title={`No matching ${noun.many} found.`} action={clear} />
            ) : (
              <EmptyState icon={<Icon size={22} />} title={`No ${noun.many} are available.`} />
            )
          }
          failure={
            query.error ? (
              <FailureState message={messageOf(query.error)} onRetry={() => void query.refetch()} />
            ) : undefined
          }
        />
      </TableCard>
      <AlertsDialog sections={bulk.alerts} onClose={bulk.closeAlerts} />
    </>
  )
}
