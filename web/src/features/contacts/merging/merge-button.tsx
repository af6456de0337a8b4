import type { Field, Offer } from '@portico/contract/contacts'
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconArrowMerge from '#icons/IconArrowMerge'
import { useCan } from '#lib/session/session.ts'
import { MergeDialog } from './on-demand.ts'

/** Opens the dialog that merges another contact into this one, for users who may change and delete contacts. */
export function MergeButton({ contact, fields }: { contact: Offer; fields: readonly Field[] }) {
  const [isOpen, { open, close }] = useDisclosure()
  const canUpdate = useCan('contact-offers-update')
  const canDelete = useCan('contact-offers-delete')
  if (!canUpdate || !canDelete) return null
  return (
    <>
      <Button variant="default" leftSection={<IconArrowMerge size={15} aria-hidden />} onClick={open}>
        Merge with…
      </Button>
      {isOpen && <MergeDialog contact={contact} fields={fields} onClose={close} />}
    </>
  )
}
