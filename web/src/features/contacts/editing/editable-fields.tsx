import type { Field, Offer } from '@portico/contract/contacts'
import { ActionIcon } from '@mantine/core'
import { useRef, useState } from 'react'
import IconPencil from '#icons/IconPencil'
import { formatValue } from '#domain/charts'
import { type Definition, DefinitionList } from '#ui/page/definition-list.tsx'
import { valueOf } from './edited-value.ts'
import { FieldEditor } from './field-editor.tsx'
import css from './editable-fields.module.css'

/** All fields of the account, each with its value in place and a button to edit it. */
export function EditableFields({ offer, fields }: { offer: Offer; fields: readonly Field[] }) {
  const [edited, setEdited] = useState<string | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const close = (name: string): void => {
    setEdited(null)
    // The button is rendered once the input is gone.
    setTimeout(() => {
      const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
      buttons.find((button) => button.getAttribute('aria-label') === `Edit ${name}`)?.focus()
    })
  }
  const items = fields.map((field): Definition => {
    const { name, type, format } = field
    const text = formatValue(offer[name], type, format)
    if (edited === name) {
      const value = valueOf(offer[name])
      return {
        term: name,
        value: <FieldEditor contact={offer._id} field={field} value={value} onClose={() => close(name)} />,
      }
    }
    return {
      term: name,
      value: (
        <span className={css['value']}>
          <span>{text === '' ? <span aria-label="none">–</span> : text}</span>
          <ActionIcon size={20} aria-label={`Edit ${name}`} onClick={() => setEdited(name)}>
            <IconPencil size={13} aria-hidden />
          </ActionIcon>
        </span>
      ),
    }
  })
  return (
    <div ref={list}>
      <DefinitionList columns={3} items={items} />
    </div>
  )
}
