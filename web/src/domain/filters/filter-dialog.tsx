import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useCloseOnTop } from '#ui/dialog/close-on-top.ts'
import { useFocusBack } from '#ui/dialog/focus-back.ts'
import { FilterBuilder } from './filter-builder.tsx'
import type { FilterBuilderProps } from './props.ts'

type FilterDialogProps = Omit<FilterBuilderProps, 'isAdmin' | 'onCancel'> & { title: string; onClose: () => void }

/** The filter builder in a dialog, full-screen on a narrow screen. */
export function FilterDialog({ title, onClose, ...props }: FilterDialogProps) {
  const isAdmin = useMayAdministerAll()
  useFocusBack()
  const isNarrow = useMediaQuery('(max-width: 640px)') ?? false
  return (
    <Modal
      opened
      {...useCloseOnTop(onClose)}
      title={title}
      size={900}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <FilterBuilder {...props} onCancel={onClose} isAdmin={isAdmin} />
    </Modal>
  )
}
