import { uploadExtensions } from '@portico/contract/files'
import { ActionIcon, Button, Input, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.layer.css'
import { useId, useRef } from 'react'
import IconFileSpreadsheet from '#icons/IconFileSpreadsheet'
import IconUpload from '#icons/IconUpload'
import IconX from '#icons/IconX'
import { formatCount, formatFileSize } from '#lib/formats.ts'
import css from './file-field.module.css'
import type { ImportFile } from './import-file.ts'

/** By type and by extension: browsers disagree on the types. */
const accepted = {
  'text/csv': ['.csv'],
  'text/plain': ['.txt'],
  'application/zip': ['.zip'],
  'application/gzip': ['.gz'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['.xlsx'],
  'application/vnd.ms-excel.sheet.macroEnabled.12': ['.xlsm'],
}

/** Chooses the file, by dropping it or with a button. */
export function FileField({ file, isDisabled }: { file: ImportFile; isDisabled: boolean }) {
  const open = useRef<() => void>(null)
  const errorId = useId()
  return (
    <Input.Wrapper label="File" withAsterisk labelElement="div" error={file.problem} errorProps={{ id: errorId }}>
      <Dropzone
        openRef={open}
        multiple={false}
        disabled={isDisabled}
        accept={accepted}
        activateOnKeyboard={false}
        enablePointerEvents
        className={css['zone'] ?? ''}
        data-wrong={file.problem !== null || undefined}
        onDrop={([first]) => first && void file.choose(first)}
        onReject={([first]) => first && void file.choose(first.file)}
        inputProps={{ 'aria-label': 'File to import' }}
      >
        <div className={css['content']}>
          {file.file ? <ChosenFile file={file} /> : <Invitation />}
          <Button
            variant="default"
            aria-invalid={file.problem !== null || undefined}
            aria-describedby={file.problem === null ? undefined : errorId}
            onClick={(event) => {
              // A click on the drop zone already opens the file dialog.
              event.stopPropagation()
              open.current?.()
            }}
          >
            {file.file ? 'Choose another' : 'Choose a file'}
          </Button>
        </div>
      </Dropzone>
    </Input.Wrapper>
  )
}

function Invitation() {
  return (
    <>
      <IconUpload size={22} className={css['icon']} aria-hidden />
      <div className={css['text']}>
        <Text size="sm" fw={550}>
          Drop a file here
        </Text>
        <Text size="xs" c="dimmed">
          {uploadExtensions.join(', ')} of any size, with the names of the columns in its first row
        </Text>
      </div>
    </>
  )
}

function ChosenFile({ file: { file, header, remove } }: { file: ImportFile }) {
  if (!file) return null
  const columns = header && formatCount(header.columns.length, 'column')
  return (
    <>
      <IconFileSpreadsheet size={24} className={css['icon']} aria-hidden />
      <div className={css['text']}>
        <Text size="sm" fw={550} className={css['name'] ?? ''}>
          {file.name}
        </Text>
        <Text size="xs" c="dimmed" lineClamp={1} title={header?.columns.join(', ')}>
          {[formatFileSize(file.size), columns].filter(Boolean).join(' · ')}
          {header && `: ${header.columns.join(', ')}`}
        </Text>
      </div>
      <ActionIcon
        aria-label={`Remove ${file.name}`}
        onClick={(event) => {
          event.stopPropagation()
          remove()
        }}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </>
  )
}
