// What exists in workers alone.

declare var WorkerLocation: { prototype: { readonly href: string } };
