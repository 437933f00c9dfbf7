/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before every file of lab.ko when it is graded. What the driver acquires and gives back passes through
 * the grader's module, witness.ko. That module can make an acquisition fail, as a kernel short of memory would. For
 * whatever was not given back it knows function, file and line. Nothing else changes for the driver.
 *
 * Each macro has the name of the function that it replaces, so a file can be compiled with and without the macros.
 * devm_, pcim_, dmam_ and drmm_ functions can fail, but never leak: the kernel gives back what they acquire.
 * Memory that the kernel frees counts as given back, too (kfree() and kfree_rcu(), wherever they are called).
 */
#ifndef LAB_WITNESS_H
#define LAB_WITNESS_H

#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* A place in the driver, and the function that it called there. */
struct lab_site {
	const char *function;
	const char *file;
	int line;
};

/* Kinds of resources: what is acquired as one kind can only be given back as the same kind. */
enum lab_kind {
	LAB_K_MEMORY, LAB_K_ENABLE, LAB_K_REGIONS, LAB_K_REGION, LAB_K_MAP, LAB_K_VECTORS, LAB_K_IRQ,
	LAB_K_COHERENT, LAB_K_DMA, LAB_K_DMA_SG, LAB_K_SG_TABLE, LAB_K_DRM_REGISTER, LAB_K_DRM_MM, LAB_K_GEM,
	LAB_K_PAGE, LAB_K_POOL, LAB_K_OTHER,
};

/* witness.ko */
bool lab_w_fail(const struct lab_site *site);
void lab_w_add(enum lab_kind kind, u64 key, u64 extra, const struct lab_site *site);
void lab_w_del(enum lab_kind kind, u64 key, u64 extra, const struct lab_site *site);
void lab_w_pin(int pages, const struct lab_site *site);
void lab_w_barrier(void);
void lab_w_store(const volatile void __iomem *at, const struct lab_site *site);
void lab_w_bad(const struct lab_site *site, const char *text);

#define LAB_ANY		(~0ull)		/* an `extra` that is not compared */

#define LAB_SITE(name) (&(const struct lab_site){ name, __FILE__, __LINE__ })

/* ACQ: the value of `call`, or `failed` if it has to fail. The acquisition is recorded if `ok` holds for `ret_`. */
#define LAB_ACQ(name, type, failed, call, ok, kind, key, extra) ({			\
	type ret_;									\
	if (lab_w_fail(LAB_SITE(name))) {						\
		ret_ = failed;								\
	} else {									\
		ret_ = call;								\
		if (ok)									\
			lab_w_add(kind, (u64)(key), (u64)(extra), LAB_SITE(name));	\
	}										\
	ret_; })
/* For functions whose resources the kernel gives back by itself. */
#define LAB_MAY_FAIL(name, type, failed, call) ({					\
	type ret_;									\
	if (lab_w_fail(LAB_SITE(name)))							\
		ret_ = failed;								\
	else										\
		ret_ = call;								\
	ret_; })

#ifndef LAB_WITNESS_SELF
/* --- memory ------------------------------------------------------------------------------- */

#define LAB_MEM(name, call) LAB_ACQ(name, void *, NULL, call, ret_, LAB_K_MEMORY, (unsigned long)ret_, 0)
/* Where the kernel's own functions are macros, the function behind each has this suffix. */
#ifdef kmalloc
#define LAB_REAL(f) f##_noprof
#undef kmalloc
#undef kzalloc
#undef kcalloc
#undef kmalloc_array
#undef kvmalloc
#undef kvzalloc
#undef kvcalloc
#undef kvmalloc_array
#undef kmemdup
#undef vmalloc
#undef vzalloc
#else
#define LAB_REAL(f) f
#endif
#define kmalloc(size, flags)		LAB_MEM("kmalloc", LAB_REAL(kmalloc)(size, flags))
#define kzalloc(size, flags)		LAB_MEM("kzalloc", LAB_REAL(kzalloc)(size, flags))
#define kcalloc(n, size, flags)		LAB_MEM("kcalloc", LAB_REAL(kcalloc)(n, size, flags))
#define kmalloc_array(n, size, flags)	LAB_MEM("kmalloc_array", LAB_REAL(kmalloc_array)(n, size, flags))
#define kvmalloc(size, flags)		LAB_MEM("kvmalloc", LAB_REAL(kvmalloc)(size, flags))
#define kvzalloc(size, flags)		LAB_MEM("kvzalloc", LAB_REAL(kvzalloc)(size, flags))
#define kvcalloc(n, size, flags)	LAB_MEM("kvcalloc", LAB_REAL(kvcalloc)(n, size, flags))
#define kvmalloc_array(n, size, flags)	LAB_MEM("kvmalloc_array", LAB_REAL(kvmalloc_array)(n, size, flags))
#define kmemdup(src, size, flags)	LAB_MEM("kmemdup", LAB_REAL(kmemdup)(src, size, flags))
#define vmalloc(size)			LAB_MEM("vmalloc", LAB_REAL(vmalloc)(size))
#define vzalloc(size)			LAB_MEM("vzalloc", LAB_REAL(vzalloc)(size))
/* The witness sees kfree() in the kernel, but large kvmalloc() memory only here. */
#define kvfree(ptr) ({ const void *p_ = (ptr);						\
	if (is_vmalloc_addr(p_))							\
		lab_w_del(LAB_K_MEMORY, (unsigned long)p_, 0, LAB_SITE("kvfree"));	\
	kvfree(p_); })
#define vfree(ptr) ({ const void *p_ = (ptr);						\
	if (p_)										\
		lab_w_del(LAB_K_MEMORY, (unsigned long)p_, 0, LAB_SITE("vfree"));	\
	vfree(p_); })
#define devm_kmalloc(dev, size, flags)	LAB_MAY_FAIL("devm_kmalloc", void *, NULL, devm_kmalloc(dev, size, flags))
#define devm_kzalloc(dev, size, flags)	LAB_MAY_FAIL("devm_kzalloc", void *, NULL, devm_kzalloc(dev, size, flags))
#define devm_kcalloc(dev, n, size, flags) \
	LAB_MAY_FAIL("devm_kcalloc", void *, NULL, devm_kcalloc(dev, n, size, flags))

/* --- the PCI function ---------------------------------------------------------------------- */

#define LAB_ENABLE(name, pdev) LAB_ACQ(#name, int, -ENOMEM, name(pdev), !ret_, LAB_K_ENABLE, (unsigned long)(pdev), 0)
#define pci_enable_device(pdev)		LAB_ENABLE(pci_enable_device, pdev)
#define pci_enable_device_mem(pdev)	LAB_ENABLE(pci_enable_device_mem, pdev)
#define pcim_enable_device(pdev)	LAB_MAY_FAIL("pcim_enable_device", int, -ENOMEM, pcim_enable_device(pdev))
#define pci_disable_device(pdev) ({ struct pci_dev *d_ = (pdev);			\
	if (!pci_is_managed(d_))							\
		lab_w_del(LAB_K_ENABLE, (unsigned long)d_, 0, LAB_SITE("pci_disable_device"));	\
	pci_disable_device(d_); })

/* After pcim_enable_device() the kernel gives regions back. */
#define LAB_REGIONS(name, pdev, call, kind, key)					\
	LAB_ACQ(name, int, -EBUSY, call, !ret_ && !pci_is_managed(pdev), kind, key, 0)
#define pci_request_regions(pdev, n)	LAB_REGIONS("pci_request_regions", pdev, pci_request_regions(pdev, n),	\
						    LAB_K_REGIONS, (unsigned long)(pdev))
#define pci_request_selected_regions(pdev, bars, n)					\
	LAB_REGIONS("pci_request_selected_regions", pdev, pci_request_selected_regions(pdev, bars, n),	\
		    LAB_K_REGIONS, (unsigned long)(pdev))
#define pci_request_mem_regions(pdev, n)						\
	LAB_REGIONS("pci_request_mem_regions", pdev, pci_request_mem_regions(pdev, n),	\
		    LAB_K_REGIONS, (unsigned long)(pdev))
#define pci_request_region(pdev, bar, n)						\
	LAB_REGIONS("pci_request_region", pdev, pci_request_region(pdev, bar, n),	\
		    LAB_K_REGION, (unsigned long)(pdev) + (bar))
#define LAB_RELEASE(name, pdev, kind, add) ({ struct pci_dev *r_ = (pdev);		\
	if (!pci_is_managed(r_))							\
		lab_w_del(kind, (unsigned long)r_ + (add), 0, LAB_SITE(name)); })
#define pci_release_regions(pdev) ({							\
	LAB_RELEASE("pci_release_regions", pdev, LAB_K_REGIONS, 0); pci_release_regions(pdev); })
#define pci_release_selected_regions(pdev, bars) ({					\
	LAB_RELEASE("pci_release_selected_regions", pdev, LAB_K_REGIONS, 0);		\
	pci_release_selected_regions(pdev, bars); })
#define pci_release_mem_regions(pdev) ({						\
	LAB_RELEASE("pci_release_mem_regions", pdev, LAB_K_REGIONS, 0); pci_release_mem_regions(pdev); })
#define pci_release_region(pdev, bar) ({						\
	LAB_RELEASE("pci_release_region", pdev, LAB_K_REGION, bar); pci_release_region(pdev, bar); })

/* The witness knows BAR0, which has the doorbells, as `extra` 1: one more than the BAR's number. */
#define LAB_MAP_BAR(name, bar, call)							\
	LAB_ACQ(name, void __iomem *, NULL, call, ret_, LAB_K_MAP, (__force unsigned long)ret_, (bar) + 1)
#define LAB_MAP(name, call)								\
	LAB_ACQ(name, void __iomem *, NULL, call, ret_, LAB_K_MAP, (__force unsigned long)ret_, 0)
#define pci_iomap(pdev, bar, max)	LAB_MAP_BAR("pci_iomap", bar, pci_iomap(pdev, bar, max))
#define pci_iomap_wc(pdev, bar, max)	LAB_MAP("pci_iomap_wc", pci_iomap_wc(pdev, bar, max))
#define pci_iomap_range(pdev, bar, off, max)						\
	LAB_MAP("pci_iomap_range", pci_iomap_range(pdev, bar, off, max))
#define pci_iomap_wc_range(pdev, bar, off, max)						\
	LAB_MAP("pci_iomap_wc_range", pci_iomap_wc_range(pdev, bar, off, max))
#define pci_ioremap_bar(pdev, bar)	LAB_MAP_BAR("pci_ioremap_bar", bar, pci_ioremap_bar(pdev, bar))
#define pci_ioremap_wc_bar(pdev, bar)	LAB_MAP("pci_ioremap_wc_bar", pci_ioremap_wc_bar(pdev, bar))
#undef ioremap
#define ioremap(at, size)		LAB_MAP("ioremap", ioremap(at, size))
#undef ioremap_wc
#define ioremap_wc(at, size)		LAB_MAP("ioremap_wc", ioremap_wc(at, size))
#undef pci_iounmap
#define pci_iounmap(pdev, at) ({ void __iomem *m_ = (at);				\
	lab_w_del(LAB_K_MAP, (__force unsigned long)m_, LAB_ANY, LAB_SITE("pci_iounmap")); pci_iounmap(pdev, m_); })
#undef iounmap
#define iounmap(at) ({ volatile void __iomem *m_ = (at);				\
	lab_w_del(LAB_K_MAP, (__force unsigned long)m_, LAB_ANY, LAB_SITE("iounmap")); iounmap(m_); })
#define pcim_iomap(pdev, bar, max)	LAB_MAY_FAIL("pcim_iomap", void __iomem *, NULL, pcim_iomap(pdev, bar, max))
#define pcim_iomap_regions(pdev, mask, n)						\
	LAB_MAY_FAIL("pcim_iomap_regions", int, -ENOMEM, pcim_iomap_regions(pdev, mask, n))
#define devm_ioremap(dev, at, size)	LAB_MAY_FAIL("devm_ioremap", void __iomem *, NULL, devm_ioremap(dev, at, size))
#define devm_ioremap_wc(dev, at, size)							\
	LAB_MAY_FAIL("devm_ioremap_wc", void __iomem *, NULL, devm_ioremap_wc(dev, at, size))

/* --- interrupts ---------------------------------------------------------------------------- */

/* After pcim_enable_device() the kernel gives vectors back. */
#define LAB_VECTORS(name, pdev, call)							\
	LAB_ACQ(name, int, -ENOSPC, call, ret_ > 0 && !pci_is_managed(pdev), LAB_K_VECTORS, (unsigned long)(pdev), 0)
#define pci_alloc_irq_vectors(pdev, min, max, flags)					\
	LAB_VECTORS("pci_alloc_irq_vectors", pdev, pci_alloc_irq_vectors(pdev, min, max, flags))
#define pci_alloc_irq_vectors_affinity(pdev, min, max, flags, affd)			\
	LAB_VECTORS("pci_alloc_irq_vectors_affinity", pdev,				\
		    pci_alloc_irq_vectors_affinity(pdev, min, max, flags, affd))
#define pci_enable_msix_range(pdev, entries, min, max)					\
	LAB_VECTORS("pci_enable_msix_range", pdev, pci_enable_msix_range(pdev, entries, min, max))
#define pci_enable_msix_exact(pdev, entries, n)						\
	LAB_ACQ("pci_enable_msix_exact", int, -ENOSPC, pci_enable_msix_exact(pdev, entries, n), !ret_,	\
		LAB_K_VECTORS, (unsigned long)(pdev), 0)
#define LAB_VECTORS_FREE(name, pdev) ({ struct pci_dev *v_ = (pdev);			\
	if (!pci_is_managed(v_))							\
		lab_w_del(LAB_K_VECTORS, (unsigned long)v_, 0, LAB_SITE(name)); })
#define pci_free_irq_vectors(pdev) ({							\
	LAB_VECTORS_FREE("pci_free_irq_vectors", pdev); pci_free_irq_vectors(pdev); })
#define pci_disable_msix(pdev) ({ LAB_VECTORS_FREE("pci_disable_msix", pdev); pci_disable_msix(pdev); })

#define LAB_IRQ_KEY(irq, cookie)	((u64)(unsigned long)(cookie) ^ (u64)(irq) << 48)
#define request_irq(irq, h, flags, n, cookie) ({					\
	unsigned int i_ = (irq);							\
	LAB_ACQ("request_irq", int, -EBUSY, request_irq(i_, h, flags, n, cookie), !ret_,	\
		LAB_K_IRQ, LAB_IRQ_KEY(i_, cookie), 0); })
#define request_threaded_irq(irq, h, t, flags, n, cookie) ({				\
	unsigned int i_ = (irq);							\
	LAB_ACQ("request_threaded_irq", int, -EBUSY, request_threaded_irq(i_, h, t, flags, n, cookie), !ret_,	\
		LAB_K_IRQ, LAB_IRQ_KEY(i_, cookie), 0); })
#define free_irq(irq, cookie) ({							\
	unsigned int i_ = (irq);							\
	void *k_ = (cookie);								\
	lab_w_del(LAB_K_IRQ, LAB_IRQ_KEY(i_, k_), 0, LAB_SITE("free_irq"));		\
	free_irq(i_, k_); })
#define pci_request_irq(pdev, nr, h, t, cookie, fmt...) ({				\
	unsigned int i_ = (nr);								\
	LAB_ACQ("pci_request_irq", int, -EBUSY, pci_request_irq(pdev, i_, h, t, cookie, fmt), !ret_,	\
		LAB_K_IRQ, LAB_IRQ_KEY(pci_irq_vector(pdev, i_), cookie), 0); })
#define pci_free_irq(pdev, nr, cookie) ({						\
	unsigned int i_ = (nr);								\
	void *k_ = (cookie);								\
	lab_w_del(LAB_K_IRQ, LAB_IRQ_KEY(pci_irq_vector(pdev, i_), k_), 0, LAB_SITE("pci_free_irq"));	\
	pci_free_irq(pdev, i_, k_); })
#define devm_request_irq(dev, irq, h, flags, n, cookie)					\
	LAB_MAY_FAIL("devm_request_irq", int, -EBUSY, devm_request_irq(dev, irq, h, flags, n, cookie))
#define devm_request_threaded_irq(dev, irq, h, t, flags, n, cookie)			\
	LAB_MAY_FAIL("devm_request_threaded_irq", int, -EBUSY,				\
		     devm_request_threaded_irq(dev, irq, h, t, flags, n, cookie))

/* /dev/lab is a given stage behind the student's. When it fails, the student's stage must be undone. */
#define misc_register(misc)		LAB_MAY_FAIL("misc_register", int, -ENOMEM, misc_register(misc))

/* --- DMA ----------------------------------------------------------------------------------- */

#define LAB_MASK(name, dev, mask)	LAB_MAY_FAIL(#name, int, -EIO, name(dev, mask))
#define dma_set_mask(dev, mask)		LAB_MASK(dma_set_mask, dev, mask)
#define dma_set_coherent_mask(dev, mask)	LAB_MASK(dma_set_coherent_mask, dev, mask)
#define dma_set_mask_and_coherent(dev, mask)	LAB_MASK(dma_set_mask_and_coherent, dev, mask)
#define dma_alloc_coherent(dev, size, handle, flags)					\
	LAB_ACQ("dma_alloc_coherent", void *, NULL, dma_alloc_coherent(dev, size, handle, flags), ret_,	\
		LAB_K_COHERENT, (unsigned long)ret_, size)
#define dma_free_coherent(dev, size, cpu, handle) ({					\
	size_t s_ = (size);								\
	void *c_ = (cpu);								\
	lab_w_del(LAB_K_COHERENT, (unsigned long)c_, s_, LAB_SITE("dma_free_coherent"));	\
	dma_free_coherent(dev, s_, c_, handle); })
#define dma_alloc_attrs(dev, size, handle, flags, attrs)				\
	LAB_ACQ("dma_alloc_attrs", void *, NULL, dma_alloc_attrs(dev, size, handle, flags, attrs), ret_,	\
		LAB_K_COHERENT, (unsigned long)ret_, size)
#define dma_free_attrs(dev, size, cpu, handle, attrs) ({				\
	size_t s_ = (size);								\
	void *c_ = (cpu);								\
	lab_w_del(LAB_K_COHERENT, (unsigned long)c_, s_, LAB_SITE("dma_free_attrs"));	\
	dma_free_attrs(dev, s_, c_, handle, attrs); })
#define dmam_alloc_coherent(dev, size, handle, flags)					\
	LAB_MAY_FAIL("dmam_alloc_coherent", void *, NULL, dmam_alloc_coherent(dev, size, handle, flags))

/* Size and direction must be the same when the mapping is undone. */
#define LAB_DMA_EXTRA(size, dir)	((u64)(size) << 2 | (u64)(dir))
#define LAB_DMA_MAP(name, dev, call, size, dir)						\
	LAB_ACQ(name, dma_addr_t, DMA_MAPPING_ERROR, call, !dma_mapping_error(dev, ret_),	\
		LAB_K_DMA, ret_, LAB_DMA_EXTRA(size, dir))
#undef dma_map_single
#define dma_map_single(dev, ptr, size, dir)						\
	LAB_DMA_MAP("dma_map_single", dev, dma_map_single_attrs(dev, ptr, size, dir, 0), size, dir)
#undef dma_unmap_single
#define dma_unmap_single(dev, addr, size, dir) ({						\
	dma_addr_t a_ = (addr);								\
	lab_w_del(LAB_K_DMA, a_, LAB_DMA_EXTRA(size, dir), LAB_SITE("dma_unmap_single"));	\
	dma_unmap_single_attrs(dev, a_, size, dir, 0); })
#undef dma_map_page
#define dma_map_page(dev, page, offset, size, dir)					\
	LAB_DMA_MAP("dma_map_page", dev, dma_map_page_attrs(dev, page, offset, size, dir, 0), size, dir)
#undef dma_unmap_page
#define dma_unmap_page(dev, addr, size, dir) ({						\
	dma_addr_t a_ = (addr);								\
	lab_w_del(LAB_K_DMA, a_, LAB_DMA_EXTRA(size, dir), LAB_SITE("dma_unmap_page"));	\
	dma_unmap_page_attrs(dev, a_, size, dir, 0); })
#define dma_map_sgtable(dev, sgt, dir, attrs)						\
	LAB_ACQ("dma_map_sgtable", int, -ENOMEM, dma_map_sgtable(dev, sgt, dir, attrs), !ret_,	\
		LAB_K_DMA_SG, (unsigned long)(sgt)->sgl, dir)
#define dma_unmap_sgtable(dev, sgt, dir, attrs) ({					\
	lab_w_del(LAB_K_DMA_SG, (unsigned long)(sgt)->sgl, dir, LAB_SITE("dma_unmap_sgtable"));	\
	dma_unmap_sgtable(dev, sgt, dir, attrs); })
#undef dma_map_sg
#define dma_map_sg(dev, sg, n, dir)							\
	LAB_ACQ("dma_map_sg", int, 0, dma_map_sg_attrs(dev, sg, n, dir, 0), ret_ > 0,	\
		LAB_K_DMA_SG, (unsigned long)(sg), dir)
#undef dma_unmap_sg
#define dma_unmap_sg(dev, sg, n, dir) ({						\
	lab_w_del(LAB_K_DMA_SG, (unsigned long)(sg), dir, LAB_SITE("dma_unmap_sg"));	\
	dma_unmap_sg_attrs(dev, sg, n, dir, 0); })

#define sg_alloc_table(sgt, n, flags)							\
	LAB_ACQ("sg_alloc_table", int, -ENOMEM, sg_alloc_table(sgt, n, flags), !ret_,	\
		LAB_K_SG_TABLE, (unsigned long)(sgt), 0)
#define sg_alloc_table_from_pages(sgt, pages, n, offset, size, flags)			\
	LAB_ACQ("sg_alloc_table_from_pages", int, -ENOMEM,				\
		sg_alloc_table_from_pages(sgt, pages, n, offset, size, flags), !ret_,	\
		LAB_K_SG_TABLE, (unsigned long)(sgt), 0)
#define sg_alloc_table_from_pages_segment(sgt, pages, n, offset, size, most, flags)	\
	LAB_ACQ("sg_alloc_table_from_pages_segment", int, -ENOMEM,			\
		sg_alloc_table_from_pages_segment(sgt, pages, n, offset, size, most, flags), !ret_,	\
		LAB_K_SG_TABLE, (unsigned long)(sgt), 0)
#define sg_free_table(sgt) ({								\
	lab_w_del(LAB_K_SG_TABLE, (unsigned long)(sgt), 0, LAB_SITE("sg_free_table")); sg_free_table(sgt); })

/* --- pages --------------------------------------------------------------------------------- */

#define LAB_PIN(name, call) ({								\
	int n_ = lab_w_fail(LAB_SITE(name)) ? -ENOMEM : (int)(call);			\
	if (n_ > 0)									\
		lab_w_pin(n_, LAB_SITE(name));						\
	n_; })
#define pin_user_pages_fast(start, n, flags, pages)					\
	LAB_PIN("pin_user_pages_fast", pin_user_pages_fast(start, n, flags, pages))
#define pin_user_pages(start, n, flags, pages, vmas)					\
	LAB_PIN("pin_user_pages", pin_user_pages(start, n, flags, pages, vmas))
#define unpin_user_page(page) ({ lab_w_pin(-1, LAB_SITE("unpin_user_page")); unpin_user_page(page); })
#define unpin_user_pages(pages, n) ({							\
	unsigned long u_ = (n);								\
	lab_w_pin(-(int)u_, LAB_SITE("unpin_user_pages")); unpin_user_pages(pages, u_); })
#define unpin_user_pages_dirty_lock(pages, n, dirty) ({					\
	unsigned long u_ = (n);								\
	lab_w_pin(-(int)u_, LAB_SITE("unpin_user_pages_dirty_lock"));			\
	unpin_user_pages_dirty_lock(pages, u_, dirty); })
#undef alloc_page
#define alloc_page(flags)								\
	LAB_ACQ("alloc_page", struct page *, NULL, alloc_pages(flags, 0), ret_, LAB_K_PAGE, (unsigned long)ret_, 0)
#undef __free_page
#define __free_page(page) ({ struct page *g_ = (page);					\
	lab_w_del(LAB_K_PAGE, (unsigned long)g_, 0, LAB_SITE("__free_page")); __free_pages(g_, 0); })

/* --- order: stores to USERD's GP_PUT, and the barriers before them -------------------------------- */

#undef wmb
#define wmb()		({ lab_w_barrier(); asm volatile("sfence" ::: "memory"); })
#undef mb
#define mb()		({ lab_w_barrier(); asm volatile("mfence" ::: "memory"); })
#undef dma_wmb
#define dma_wmb()	({ lab_w_barrier(); barrier(); })
#undef writel
#define writel(value, at) ({ volatile void __iomem *w_ = (at);				\
	(writel)(value, w_); lab_w_store(w_, LAB_SITE("writel")); })
#undef writel_relaxed
#define writel_relaxed(value, at) ({ volatile void __iomem *w_ = (at);			\
	__writel(value, w_); lab_w_store(w_, LAB_SITE("writel_relaxed")); })
#undef iowrite32
#define iowrite32(value, at) ({ void __iomem *w_ = (at);				\
	iowrite32(value, w_); lab_w_store(w_, LAB_SITE("iowrite32")); })

#ifdef LAB_WITNESS_DRM
#include "lab_witness_drm.h"
#endif
#endif

#endif
