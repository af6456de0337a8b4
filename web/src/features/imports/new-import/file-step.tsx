import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useInitialFocus } from '#ui/form/initial-focus.ts'
import { FileField } from './file-field.tsx'
import type { ImportFile } from './import-file.ts'
import { SheetOrDelimiter } from './import-inputs.tsx'

type FileStepProps = {
  file: ImportFile
  name: GetInputPropsReturnType
  delimiter: GetInputPropsReturnType
  /** Something to know about the file; null for nothing. */
  note?: string | null
  isBusy: boolean
}

/** Chooses the file, and names the import. */
export function FileStep({ file, name, delimiter, note, isBusy }: FileStepProps) {
  // The dialog focuses its first field when it opens; this one appears later, with the last import's settings.
  const input = useRef<HTMLInputElement>(null)
  useInitialFocus(input)
  const chosen = file.file
  useEffect(() => {
    // Nothing else is missing then.
    if (chosen && input.current?.value === '') input.current.focus()
  }, [chosen])
  return (
    <Stack gap="md">
      <FileField file={file} isDisabled={isBusy} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        <TextInput ref={input} label="Import Name" withAsterisk maxLength={100} data-autofocus {...name} />
        <SheetOrDelimiter file={file} {...delimiter} />
      </SimpleGrid>
      {note && (
        <Text size="sm" component="output">
          {note}
        </Text>
      )}
    </Stack>
  )
}
