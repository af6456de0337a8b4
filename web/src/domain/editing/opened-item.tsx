import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { useFocusBack } from '#ui/dialog/focus-back.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'

type OpenedItemProps<Item> = {
  /** Title of the dialog while the item is loading. */
  title: string
  width: number
  read: (signal: AbortSignal) => Promise<Item>
  onClose: () => void
  /** The dialog. */
  children: (item: Item) => ReactNode
}

/**
 * Opens a dialog with the item as the server has it now, regardless of what a list still shows; a placeholder appears
 * until it arrives.
 */
export function OpenedItem<Item>({ title, width, read, onClose, children }: OpenedItemProps<Item>) {
  const { data, error, refetch } = useOpenedItem(read)
  // The dialog opens over the placeholder, and would otherwise return the focus to it.
  useFocusBack()
  if (data !== undefined) return children(data)
  return (
    <FormDialog title={title} width={width} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      {error ? (
        <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
      ) : (
        <LoadingBlock height={260} m="md" w="auto" />
      )}
    </FormDialog>
  )
}

/** Requested each time a form opens, and not again while it is open. */
function useOpenedItem<Item>(read: (signal: AbortSignal) => Promise<Item>) {
  return useQuery({
    queryKey: ['opened', useId()],
    queryFn: ({ signal }) => read(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
