/** The used part of pdfmake, which has no type definitions. */
declare module 'pdfmake' {
  export interface Content {
    readonly [key: string]: unknown;
  }
  export interface DocumentDefinition {
    readonly content: readonly Content[];
    readonly [key: string]: unknown;
  }
  const pdfmake: {
    setFonts(fonts: Readonly<Record<string, { readonly normal: string; readonly bold: string }>>): void;
    setUrlAccessPolicy(allows: (url: string) => boolean): void;
    setLocalAccessPolicy(allows: (path: string) => boolean): void;
    createPdf(definition: DocumentDefinition): { getBuffer(): Promise<Buffer> };
  };
  export default pdfmake;
}
