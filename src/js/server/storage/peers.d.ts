/** Types of the parts of Node that storages use, since the package does not depend on `@types/node`. */
declare module "node:fs/promises" {
  export interface FileHandle {
    write(text: string): Promise<unknown>;
    datasync(): Promise<void>;
    close(): Promise<void>;
  }
  export function open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  export function mkdir(path: string, options: { recursive: boolean; mode: number }): Promise<unknown>;
  export function readFile(path: string, encoding: "utf8"): Promise<string>;
  export function rename(from: string, to: string): Promise<void>;
}
