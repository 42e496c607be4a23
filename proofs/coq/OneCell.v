(** * Theorem 5 within the target's cell

    Only the target's cell differs between D and D without t. It shows nothing (fewer than k of its rows were sampled)
    or its count. With x = e^eps, the steps of Appendix A.2:

    - [reverse]: from D without t to D nothing exceeds the factor x, since x (1-b) >= 1;
    - [forward]: from D to D without t only the counts j >= k with j > gamma n exceed it;
    - [tail_grows], [tail_from_nm]: up to n_m = ceil(k/gamma - 1) their probability grows with n, and from there on it
      is Pr[Bin(n, b) > gamma n]. *)

From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From Crowdproof Require Import Definitions Binomial.
Open Scope R_scope.

Section OneCell.
Variables b x g : R.
Variables k nm : nat.
Hypothesis Hb : 0 < b < 1.
Hypothesis Hk : (1 <= k)%nat.
Hypothesis Hx : 1 <= x.
Hypothesis Hxb : 1 <= x * (1 - b).
Hypothesis Hg : g * x = x - 1 + b.
Hypothesis Hnm1 : g * INR nm < INR k.
Hypothesis Hnm2 : INR k <= g * (INR nm + 1).
Notation f := (f b).
Notation Pr := (Pr b).

Lemma reverse e n M : Pr e n M <= x * Pr e (S n) M.
Proof. unfold Binomial.Pr. rewrite <- sum_scal. apply sum_le. intros j _. unfold ind. destruct (e j); [| lra].
 destruct (likelier_less b Hb x (1 - x * (1 - b)) n j Hx eq_refl) as [H _]. apply H.
 assert (0 <= INR j) by apply pos_INR. assert (0 <= INR n) by apply pos_INR. nra. Qed.

(** Counts that are shown and exceed the factor x. *)
Definition bad (n j : nat) : bool := (k <=? j)%nat && less (g * INR n) (INR j).
Definition tail (n M : nat) : R := sum (fun j => ind (bad n j) (f n j)) M.
Definition tail_above (n M : nat) : R := sum (fun j => ind (less (g * INR n) (INR j)) (f n j)) M.

Lemma termwise n j : (k <= j)%nat -> f (S n) j <= x * f n j + ind (bad (S n) j) (f (S n) j).
Proof. intro Hj. unfold bad. replace (k <=? j)%nat with true by (symmetry; apply Nat.leb_le; exact Hj). rewrite andb_true_l.
 assert (0 <= x * f n j) by (apply Rmult_le_pos; [lra | apply f_nn; exact Hb]).
 unfold ind, less. destruct (Rlt_dec (g * INR (S n)) (INR j)) as [L|G]; [lra |].
 destruct (likelier b Hb x g n j Hx Hg) as [H1 _]. rewrite S_INR in G. rewrite Rplus_0_r. apply H1. lra. Qed.

(** The lump of the counts below k is never the likelier for one row more. *)
Lemma lump_falls s n : sum (fun j => ind s (f (S n) j)) k <= x * sum (fun j => ind s (f n j)) k.
Proof. destruct s; unfold ind.
 - assert (C := cdf_step b Hb n k). assert (0 <= sum (f n) k) by (apply sum_nn; intro; apply f_nn; exact Hb).
   change (sum (f (S n)) k <= x * sum (f n) k). assert (1 * sum (f n) k <= x * sum (f n) k) by (apply Rmult_le_compat_r; lra). lra.
 - rewrite sum_const0. lra. Qed.

Lemma forward e n M : event k e -> (k <= M)%nat -> Pr e (S n) M <= x * Pr e n M + tail (S n) M.
Proof. intros [s Hs] HM. unfold Binomial.Pr, tail.
 rewrite (sum_split k (fun j => ind (e j) (f (S n) j)) M HM), (sum_split k (fun j => ind (e j) (f n j)) M HM), (sum_split k (fun j => ind (bad (S n) j) (f (S n) j)) M HM).
 assert (A : sum (fun j => ind (e j) (f (S n) j)) k <= x * sum (fun j => ind (e j) (f n j)) k).
 { rewrite (sum_ext _ (fun j => ind s (f (S n) j))) by (intros j Hj; rewrite Hs by exact Hj; reflexivity).
   rewrite (sum_ext (fun j => ind (e j) (f n j)) (fun j => ind s (f n j))) by (intros j Hj; rewrite Hs by exact Hj; reflexivity).
   apply lump_falls. }
 assert (T0 : 0 <= sum (fun j => ind (bad (S n) j) (f (S n) j)) k) by (apply sum_nn; intro j; unfold ind; destruct (bad (S n) j); [apply f_nn; exact Hb | lra]).
 assert (B : sum (fun j => ind (e (k + j)%nat) (f (S n) (k + j))) (M - k) <= x * sum (fun j => ind (e (k + j)%nat) (f n (k + j))) (M - k) + 1 * sum (fun j => ind (bad (S n) (k + j)) (f (S n) (k + j))) (M - k)).
 { rewrite <- sum_lin. apply sum_le. intros j _. assert (T := termwise n (k + j) ltac:(lia)). assert (F := f_nn b Hb (S n) (k + j)). assert (F' := f_nn b Hb n (k + j)).
   unfold ind in *. destruct (e (k + j)%nat); destruct (bad (S n) (k + j)); lra. }
 lra. Qed.

Lemma g_between : 0 < g < 1.
Proof. assert (H : (0 < k)%nat) by lia. apply lt_0_INR in H. assert (0 <= INR nm) by apply pos_INR. split.
 - destruct (Rlt_dec 0 g); auto. exfalso. assert (g * (INR nm + 1) <= 0) by nra. lra.
 - destruct (Rlt_dec g 1); auto. exfalso. assert (g * x >= x) by nra. lra. Qed.

Lemma tail_from_nm n M : (nm <= n)%nat -> tail n M = tail_above n M.
Proof. intro H. unfold tail, tail_above. apply sum_ext. intros j _. unfold bad, less.
 destruct (Rlt_dec (g * INR n) (INR j)) as [L|]; [| rewrite andb_false_r; reflexivity]. rewrite andb_true_r.
 assert (G := g_between). assert (INR nm <= INR n) by (apply le_INR; exact H). assert (g * INR nm <= g * INR n) by (apply Rmult_le_compat_l; lra).
 replace (k <=? j)%nat with true; [reflexivity |]. symmetry. apply Nat.leb_le.
 assert (HQ : INR k < INR (S j)) by (rewrite S_INR; lra). apply INR_lt in HQ. lia. Qed.

Lemma tail_grows n M : (n <= nm)%nat -> (nm < M)%nat -> (k <= M)%nat -> tail n M <= tail nm M.
Proof. intros H HM HkM. assert (G := g_between).
 assert (E : forall q, (q <= nm)%nat -> tail q M = 1 - sum (f q) k).
 { intros q Hq. unfold tail. rewrite <- (total b q M) by lia. rewrite (sum_split k (f q)) by exact HkM. rewrite (sum_split k) by exact HkM.
   rewrite (sum_ext _ (fun _ => 0)) by (intros j Hj; unfold bad; replace (k <=? j)%nat with false by (symmetry; apply Nat.leb_gt; exact Hj); reflexivity).
   rewrite sum_const0.
   rewrite (sum_ext (fun j => ind (bad q (k + j)) (f q (k + j))) (fun j => f q (k + j)%nat)). lra.
   intros j _. unfold bad. replace (k <=? k + j)%nat with true by (symmetry; apply Nat.leb_le; lia). rewrite less_true. reflexivity. rewrite plus_INR.
   assert (0 <= INR j) by apply pos_INR. assert (INR q <= INR nm) by (apply le_INR; exact Hq). assert (g * INR q <= g * INR nm) by (apply Rmult_le_compat_l; lra). lra. }
 rewrite !E by lia. assert (C := cdf_falls b Hb n nm k H). lra. Qed.

Lemma tail_above_end n M : (n < M)%nat -> tail_above n M = above b g n.
Proof. intro H. unfold above. induction H. reflexivity. unfold tail_above in *. simpl sum at 1. rewrite IHle. rewrite (f_out b n m) by lia. unfold ind. destruct (less _ _); lra. Qed.

Theorem one_cell delta : (forall n, (nm <= n)%nat -> above b g n <= delta) ->
  forall e n M, event k e -> (S n < M)%nat -> (k <= M)%nat ->
  Pr e (S n) M <= x * Pr e n M + delta /\ Pr e n M <= x * Pr e (S n) M + delta.
Proof. intros Hd e n M He Hn HkM.
 assert (D0 : 0 <= delta). { apply Rle_trans with (above b g nm); [| apply Hd; lia]. apply sum_nn. intro j. unfold ind. destruct (less _ _); [apply f_nn; exact Hb | lra]. }
 split.
 - eapply Rle_trans. apply forward; assumption. apply Rplus_le_compat_l.
   destruct (le_lt_dec nm (S n)) as [L|L].
   + rewrite tail_from_nm by exact L. rewrite tail_above_end by lia. apply Hd. lia.
   + assert (T : tail (S n) M = tail (S n) (M + nm)).
     { unfold tail. rewrite (sum_split M _ (M + nm)) by lia. rewrite (sum_zero (fun j => ind (bad (S n) (M + j)) (f (S n) (M + j)))). ring.
       intros j _. rewrite f_out by lia. unfold ind. destruct (bad _ _); reflexivity. }
     rewrite T. eapply Rle_trans. apply tail_grows with (M := (M + nm)%nat); lia. rewrite tail_from_nm by lia. rewrite tail_above_end by lia. apply Hd. lia.
 - assert (R1 := reverse e n M). lra. Qed.

End OneCell.
